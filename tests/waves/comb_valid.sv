// The compressor with wires from pins to pins, all of which AXI4-Stream allows: tready waits for tvalid, and the
// output's tvalid is let through by the input's, unless it is already up or no more comes in. comb_ready has the third
// kind, from tready to tready.
`default_nettype none
module comb_valid (
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
  logic       ready, valid, up_q;
  logic [3:0] quiet_q;
  wire open = s_axis_tvalid | up_q | (&quiet_q);
  always_ff @(posedge aclk)
    if (!aresetn) {up_q, quiet_q} <= '0;
    else begin
      up_q    <= m_axis_tvalid & !m_axis_tready;
      quiet_q <= s_axis_tvalid ? 4'd0 : (&quiet_q) ? quiet_q : quiet_q + 4'd1;
    end
  gw_compressor u (.aclk, .aresetn, .bound_i, .bounded_i, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid,
    .s_axis_tready(ready), .s_axis_tlast, .s_axis_tuser, .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid(valid),
    .m_axis_tready(m_axis_tready & open), .m_axis_tlast, .m_axis_tuser, .error_count_o);
  assign s_axis_tready = ready & s_axis_tvalid;
  assign m_axis_tvalid = valid & open;
endmodule
`default_nettype wire
