// Stands for gw_compression_block where its function does not matter: any code of any value, a cycle later. Bits of the code are
// bits of the value, which is free.
`default_nettype none

module gw_compression_block (
  input  wire logic        clk_i,
  input  wire logic [31:0] value_i,
  input  wire logic [3:0]  bound_i,
  input  wire logic        bounded_i,
  output logic [1:0]       tag_o,
  output logic [31:0]      payload_o
);
  always_ff @(posedge clk_i) {tag_o, payload_o} <= {value_i[1:0], value_i};
  wire unused = ^{bound_i, bounded_i};
endmodule

`default_nettype wire
