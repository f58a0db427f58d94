// How many of 15 bits are ones before the first zero.
// Combinational.
// docs/formats/quantised-packets.md, Rice.
`default_nettype none

module gw_dequantizer_ones (
  input  wire logic [14:0] bits_i,
  output logic [3:0]       ones_o
);
  wire four   = &bits_i[3:0];
  wire eight  = &bits_i[7:4];
  wire twelve = &bits_i[11:8];
  wire upper  = four & eight;
  wire middle = four & (~eight | twelve);
  wire pair   = upper ? (middle ? &bits_i[13:12] : &bits_i[9:8]) : (middle ? &bits_i[5:4] : &bits_i[1:0]);
  wire even   = upper ? (middle ? bits_i[12] : bits_i[8]) : (middle ? bits_i[4] : bits_i[0]);
  wire odd    = upper ? (middle ? bits_i[14] : bits_i[10]) : (middle ? bits_i[6] : bits_i[2]);
  assign ones_o = {upper, middle, pair, pair ? odd : even};
endmodule

`default_nettype wire
