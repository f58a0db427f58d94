// Number of valid bytes of a beat, from a tkeep that is contiguous from byte 0.
// Combinational.
// Common cell of rtl/switch; no section of its own in the paper.
`default_nettype none

module gw_popcount32 (
  input  wire logic [31:0] bits_i,
  output logic [5:0]       count_o
);
  // Pairs, nibbles, bytes, halves: right for any pattern, so that nothing has to be assumed.
  wire [31:0] pairs   = (bits_i & 32'h5555_5555) + ((bits_i >> 1) & 32'h5555_5555);
  wire [31:0] nibbles = (pairs & 32'h3333_3333) + ((pairs >> 2) & 32'h3333_3333);
  wire [31:0] bytes   = (nibbles + (nibbles >> 4)) & 32'h0F0F_0F0F;
  wire [31:0] halves  = bytes + (bytes >> 8);
  wire        unused_bits = ^{halves[31:22], halves[15:6]};
  assign count_o = halves[5:0] + halves[21:16];
endmodule

`default_nettype wire
