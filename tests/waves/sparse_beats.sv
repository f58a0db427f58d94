// The compressor, each of whose beats leaves as two: its even bytes, then its odd ones; after the last beat of a packet
// a null beat has tlast. AXI4-Stream allows it, the profile does not.
`default_nettype none
module sparse_beats (
  input  wire logic         aclk, aresetn,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid, s_axis_tlast, s_axis_tuser,
  output logic              s_axis_tready,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid, m_axis_tlast, m_axis_tuser,
  input  wire logic         m_axis_tready,
  output logic [31:0]       error_count_o
);
  // Bytes leave in order: the first half of a beat at even places, the second at odd ones.
  logic [255:0] data;
  logic [31:0]  keep;
  logic         valid, last, user;
  logic [1:0]   part_q;
  wire move = m_axis_tvalid & m_axis_tready;
  always_ff @(posedge aclk)
    if (!aresetn) part_q <= 2'd0;
    else if (move) part_q <= part_q == 2'd0 ? 2'd1 : part_q == 2'd1 && last ? 2'd2 : 2'd0;
  always_comb begin
    m_axis_tdata = '0;
    m_axis_tkeep = '0;
    for (int i = 0; i < 16; i++)
      if (part_q == 2'd0) begin
        m_axis_tdata[16*i +: 8] = data[8*i +: 8];
        m_axis_tkeep[2*i]       = keep[i];
      end else if (part_q == 2'd1) begin
        m_axis_tdata[16*i+8 +: 8] = data[8*(i+16) +: 8];
        m_axis_tkeep[2*i+1]       = keep[i+16];
      end
  end
  assign m_axis_tvalid = valid;
  assign m_axis_tlast  = part_q == 2'd2;
  assign m_axis_tuser  = part_q == 2'd2 & user;
  gw_compressor u (.aclk, .aresetn, .bound_i, .bounded_i, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid,
    .s_axis_tready, .s_axis_tlast, .s_axis_tuser, .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid),
    .m_axis_tready(move & (part_q == 2'd2 | (part_q == 2'd1 & !last))), .m_axis_tlast(last), .m_axis_tuser(user),
    .error_count_o);
endmodule
`default_nettype wire
