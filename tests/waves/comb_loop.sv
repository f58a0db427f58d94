// A compressor whose tready has no value while a beat is offered and the sink stalls: it is what it is not.
`default_nettype none
module comb_loop (
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
  logic ready, odd;
  /* verilator lint_off UNOPTFLAT */
  assign odd = m_axis_tready || !s_axis_tvalid ? 1'b0 : !odd;
  /* verilator lint_on UNOPTFLAT */
  gw_compressor u (.s_axis_tready(ready), .*);
  assign s_axis_tready = ready & !odd;
endmodule
`default_nettype wire
