// Sum by number, of one side: rounded to 24 bits, divided two bits a stage, rounded to binary32.
// Latency 17 cycles, one quotient a cycle. gw_fp_div divides whole floats, gw_adaptive_mean sums of any
// exponent.
// docs/devices/onebit.md, sides.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Stages are enabled where a chunk passes: most of the time there is none.
module gw_onebit_mean (
  input  wire logic        clk_i,
  input  wire logic [16:0] valid_i,   // bit i: stage i has something to do
  input  wire logic [51:0] sum_i,
  input  wire logic [12:0] number_i,
  output logic [30:0]      mean_o     // without its sign; +0 of a sum that is zero
);
  logic [58:0] bytes_q;
  logic [32:0] sum_q;
  logic [16:0] number1_q, number2_q;
  logic [61:0] division_q [0:13];
  typedef struct packed {  // as gw_onebit_pkg::divide takes and gives it
    logic        not_zero;
    logic [7:0]  exponent;
    logic [12:0] divisor;
    logic [13:0] part;
    logic [25:0] bits;
  } division_t;
  division_t   divided;
  assign divided = division_q[13];  // all bits of the quotient are there
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) bytes_q       <= gw_onebit_pkg::by_bytes(sum_i);
    if (valid_i[0]) number1_q     <= gw_onebit_pkg::normal_number(number_i);
    if (valid_i[1]) sum_q         <= gw_onebit_pkg::by_bits(bytes_q);
    if (valid_i[1]) number2_q     <= number1_q;
    if (valid_i[2]) division_q[0] <= gw_onebit_pkg::begin_division(sum_q, number2_q);
    if (valid_i[16]) mean_o       <= gw_onebit_pkg::quotient({divided.not_zero, divided.exponent,
                                                              divided.part, divided.bits});
  end
  for (genvar i = 0; i < 13; i++) begin : gen_stage
    always_ff @(posedge clk_i) if (valid_i[3 + i]) division_q[i+1] <= gw_onebit_pkg::divide(division_q[i]);
  end
  wire unused = ^divided.divisor;
endmodule

`default_nettype wire
