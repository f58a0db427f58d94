// What the harness knows in a cycle and the RTL does not, as signals that Verilator traces beside the RTL's.
// No logic: the harness writes the inputs (testbenches/common/wave_file.cc), the waveform shows them in scope `harness`.
// Simulation only: the lanes' values are real numbers.
`default_nettype none

module gw_harness_signals (
  input wire logic [31:0] cycle,          // the cycle in progress
  input wire logic [31:0] input_packet,   // number of the packet at s_axis, counted from 0
  input wire logic [31:0] output_packet,  // number of the packet at m_axis
  input wire logic        source_stall,
  input wire logic        sink_stall,
  // tdata's lanes read as binary32
  input real s_float0,
  input real s_float1,
  input real s_float2,
  input real s_float3,
  input real s_float4,
  input real s_float5,
  input real s_float6,
  input real s_float7,
  input real m_float0,
  input real m_float1,
  input real m_float2,
  input real m_float3,
  input real m_float4,
  input real m_float5,
  input real m_float6,
  input real m_float7
);
endmodule

`default_nettype wire
