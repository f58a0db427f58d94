// How many of 15 bits are ones before the first zero, of four fours of them (the last one of three): whether the first three are full,
// and how many it is of one that is not.
// Combinational.
// docs/formats/quantised-packets.md, Rice.
`default_nettype none

module gw_dequantizer_ones (
  input  wire logic [2:0] full_i,
  input  wire logic [7:0] few_i,
  output logic [3:0]      ones_o
);
  wire four   = full_i[0];
  wire eight  = full_i[1];
  wire twelve = full_i[2];
  assign ones_o = {four & eight, four & (~eight | twelve), ~four ? few_i[1:0] : ~eight ? few_i[3:2] : ~twelve ? few_i[5:4] : few_i[7:6]};
endmodule

`default_nettype wire
