// How many of 15 bits are ones before the first zero.
// Combinational.
// docs/formats/quantised-packets.md, Rice.
`default_nettype none

module gw_dequantizer_ones (
  input  wire logic [14:0] bits_i,
  output logic [3:0]       ones_o
);
  // Four fours (the last one of three): whether each is full, and how many ones there are of one that is not. So neighbours share
  // these, and two levels of logic do.
  wire four   = &bits_i[3:0];
  wire eight  = &bits_i[7:4];
  wire twelve = &bits_i[11:8];
  wire [7:0] few;
  for (genvar i = 0; i < 4; i++) begin : gen_few
    assign few[2*i +: 2] = {bits_i[4*i] & bits_i[4*i+1], bits_i[4*i] & (~bits_i[4*i+1] | bits_i[4*i+2])};
  end
  assign ones_o = {four & eight, four & (~eight | twelve), ~four ? few[1:0] : ~eight ? few[3:2] : ~twelve ? few[5:4] : few[7:6]};
endmodule

`default_nettype wire
