// What stands beside a list sets its parameter, its macro and its header; C says what it was given (+1); and an output is one
// that the device does not have.
`include "settings.svh"
`ifndef TIMES
`define TIMES 1
`endif
module settings #(parameter int Add = 0) (
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
  output logic [31:0]       error_count_o,
  output logic [31:0]       debug_o
);
  import "DPI-C" function int plus(input int value);
  gw_compressor u (.*);
  assign debug_o = error_count_o;
  wire logic [3:0] narrow = error_count_o;  // which Verilator warns about
  initial if (`TIMES * Add + `HEADER != 0) $fatal(1, "settings: %0d", plus(`TIMES * Add + `HEADER));
endmodule
