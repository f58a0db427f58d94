// Sum by number, of one side: rounded to 24 bits, divided two bits a stage, rounded to binary32, with
// subnormals.
// Latency 17 cycles, one mean in 14, for one stage divides. gw_onebit_mean: a sum in fixed point, one mean a
// cycle.
// docs/devices/adaptive.md, mean.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A mean is smaller than 2^-126 by three places at most. Such a one has fewer bits: the last step, which
// makes two, is left out for two or three of them, and one bit more is rounded off for an odd number.
module gw_adaptive_mean (
  input  wire logic        clk_i,
  input  wire logic [16:0] valid_i,     // bit i: step i is made
  input  wire logic [47:0] sum_i,
  input  wire logic [12:0] number_i,
  input  wire logic [7:0]  exponent_i,  // at step 3: the sum's unit is 2^(exponent_i - 130)
  output logic [30:0]      mean_o       // without its sign; +0 of a sum that is zero
);
  logic [58:0]       bytes_q;
  logic [32:0]       sum_q;
  logic [16:0]       number1_q, number2_q;
  typedef struct packed {  // as gw_onebit_pkg::divide takes and gives it
    logic        not_zero;
    logic [7:0]  exponent;
    logic [12:0] divisor;
    logic [13:0] part;
    logic [25:0] bits;
  } division_t;
  division_t         division_q;
  logic signed [9:0] exponent_q;        // the quotient's field, if its first bit is set
  logic              low_q, odd_q, fewer_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) bytes_q   <= gw_onebit_pkg::by_bytes({4'd0, sum_i});
    if (valid_i[0]) number1_q <= gw_onebit_pkg::normal_number(number_i);
    if (valid_i[1]) sum_q     <= gw_onebit_pkg::by_bits(bytes_q);
    if (valid_i[1]) number2_q <= number1_q;
    if (valid_i[2])                                           division_q <=
        gw_onebit_pkg::begin_division(sum_q, number2_q);
    else if (valid_i[14:3] != 12'd0 | (valid_i[15]
                                       & ~fewer_q)) division_q <= gw_onebit_pkg::divide(division_q);
    // gw_onebit_pkg counts from 2^-32 on.
    if (valid_i[3])
      exponent_q <= $signed({2'd0, division_q.exponent}) + $signed({2'd0, exponent_i}) - 10'sd98;
    if (valid_i[4]) begin
      low_q   <= (exponent_q <= 10'sd1);
      odd_q   <= ~exponent_q[0];
      fewer_q <= exponent_q[9];
    end
    if (valid_i[16]) mean_o <= gw_adaptive_pkg::quotient({division_q.not_zero, exponent_q[7:0],
                                                          division_q.part, division_q.bits},
                                                      low_q, odd_q);
  end
endmodule

`default_nettype wire
