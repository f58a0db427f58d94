// By how much m moves up before it is multiplied: until the product's first digit is one of the upper two,
// seven at most.
// Combinational.
// docs/devices/dequantizer.md, values.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_shift (
  input  wire logic [7:1] m_i,
  input  wire logic [2:0] zeros_i,   // in front of T's digits, seven at most
  output logic [2:0]      shift_o
);
  wire upper = m_i[7:4] != 4'd0;
  wire [2:0] half = upper ? m_i[7:5] : m_i[3:1];
  wire [2:0] zeros = {~upper, half[2:1] == 2'd0, ~(half[2] | (half[0] & ~half[1]))};
  wire [3:0] sum = {1'b0, zeros} + {1'b0, zeros_i};
  assign shift_o = sum[2:0] | {3{sum[3]}};
endmodule

`default_nettype wire
