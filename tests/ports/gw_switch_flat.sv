// gw_switch_ports with the flat pins of gw_switch, so that the harness drives it in lockstep with the switch's model. Parameters
// are fixed, none at its default but those that a run cannot choose: what is not handed on is noticed.
`default_nettype none

module gw_switch_flat (
  input  wire logic           aclk,
  input  wire logic           aresetn,
  input  wire logic [4:0]     workers_i,
  input  wire logic [15:0]    group_i,
  input  wire logic [10:0]    depth_i,
  input  wire logic           cfg_valid_i,
  input  wire logic [31:0]    cfg_address_i,
  input  wire logic [31:0]    cfg_data_i,
  input  wire logic [1023:0]  s_axis_tdata,
  input  wire logic [127:0]   s_axis_tkeep,
  input  wire logic [3:0]     s_axis_tvalid,
  output logic [3:0]          s_axis_tready,
  input  wire logic [3:0]     s_axis_tlast,
  input  wire logic [3:0]     s_axis_tuser,
  output logic [1023:0]       m_axis_tdata,
  output logic [127:0]        m_axis_tkeep,
  output logic [3:0]          m_axis_tvalid,
  input  wire logic [3:0]     m_axis_tready,
  output logic [3:0]          m_axis_tlast,
  output logic [18:0]         event_o,
  output logic [44*32-1:0]    stat_o
);
  gw_switch_ports #(.Algorithm(1), .Pes(1), .Iterative(1'b1), .Fast(1'b1), .Subnormal(1'b1)) u_ports (
    .aclk, .aresetn, .workers_i, .group_i, .depth_i, .cfg_valid_i, .cfg_address_i, .cfg_data_i,
    .s0_axis_tdata(s_axis_tdata[255:0]), .s0_axis_tkeep(s_axis_tkeep[31:0]), .s0_axis_tvalid(s_axis_tvalid[0]),
    .s0_axis_tready(s_axis_tready[0]), .s0_axis_tlast(s_axis_tlast[0]), .s0_axis_tuser(s_axis_tuser[0]),
    .m0_axis_tdata(m_axis_tdata[255:0]), .m0_axis_tkeep(m_axis_tkeep[31:0]), .m0_axis_tvalid(m_axis_tvalid[0]),
    .m0_axis_tready(m_axis_tready[0]), .m0_axis_tlast(m_axis_tlast[0]),
    .s1_axis_tdata(s_axis_tdata[511:256]), .s1_axis_tkeep(s_axis_tkeep[63:32]), .s1_axis_tvalid(s_axis_tvalid[1]),
    .s1_axis_tready(s_axis_tready[1]), .s1_axis_tlast(s_axis_tlast[1]), .s1_axis_tuser(s_axis_tuser[1]),
    .m1_axis_tdata(m_axis_tdata[511:256]), .m1_axis_tkeep(m_axis_tkeep[63:32]), .m1_axis_tvalid(m_axis_tvalid[1]),
    .m1_axis_tready(m_axis_tready[1]), .m1_axis_tlast(m_axis_tlast[1]),
    .s2_axis_tdata(s_axis_tdata[767:512]), .s2_axis_tkeep(s_axis_tkeep[95:64]), .s2_axis_tvalid(s_axis_tvalid[2]),
    .s2_axis_tready(s_axis_tready[2]), .s2_axis_tlast(s_axis_tlast[2]), .s2_axis_tuser(s_axis_tuser[2]),
    .m2_axis_tdata(m_axis_tdata[767:512]), .m2_axis_tkeep(m_axis_tkeep[95:64]), .m2_axis_tvalid(m_axis_tvalid[2]),
    .m2_axis_tready(m_axis_tready[2]), .m2_axis_tlast(m_axis_tlast[2]),
    .s3_axis_tdata(s_axis_tdata[1023:768]), .s3_axis_tkeep(s_axis_tkeep[127:96]), .s3_axis_tvalid(s_axis_tvalid[3]),
    .s3_axis_tready(s_axis_tready[3]), .s3_axis_tlast(s_axis_tlast[3]), .s3_axis_tuser(s_axis_tuser[3]),
    .m3_axis_tdata(m_axis_tdata[1023:768]), .m3_axis_tkeep(m_axis_tkeep[127:96]), .m3_axis_tvalid(m_axis_tvalid[3]),
    .m3_axis_tready(m_axis_tready[3]), .m3_axis_tlast(m_axis_tlast[3]),
    .event_o, .stat_o
  );
endmodule

`default_nettype wire
