// How many of 15 bits are ones before the first zero, from each place on: of four fours of them (the last one
// of three) whether they are full, and how many it is of one that is not. By columns: a vector of all places
// for each digit.
// Combinational.
// docs/formats/quantised-packets.md, Rice.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_ones #(
  parameter int Places = 64
) (
  input  wire logic [Places+7:0]  full_i,   // of four bits from a place on
  input  wire logic [Places+11:0] high_i,   // else how many, two digits
  input  wire logic [Places+11:0] low_i,
  output logic [Places-1:0]       ones_0_o,
  output logic [Places-1:0]       ones_1_o,
  output logic [Places-1:0]       ones_2_o,
  output logic [Places-1:0]       ones_3_o
);
  wire [Places-1:0] four   = full_i[Places-1:0];
  wire [Places-1:0] eight  = full_i[Places+3:4];
  wire [Places-1:0] twelve = full_i[Places+7:8];
  wire [Places-1:0] in_two   = four & ~eight;
  wire [Places-1:0] in_three = four & eight & ~twelve;
  wire [Places-1:0] in_four  = four & eight & twelve;
  assign ones_3_o = four & eight;
  assign ones_2_o = four & (~eight | twelve);
  assign ones_1_o = (~four & high_i[Places-1:0]) | (in_two & high_i[Places+3:4])
                    | (in_three & high_i[Places+7:8])
                    | (in_four & high_i[Places+11:12]);
  assign ones_0_o = (~four & low_i[Places-1:0]) | (in_two & low_i[Places+3:4])
                    | (in_three & low_i[Places+7:8])
                    | (in_four & low_i[Places+11:12]);
endmodule

`default_nettype wire
