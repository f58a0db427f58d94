// Every operator at eight latencies from 1 to 40, both behaviours, compared with the operator at the paper's latency.
// Latency 64 cycles until differ_o is meaningful, then each cycle.
// Top of tests/fp/fp_latency_test.cc.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_fp_latencies (
  input  wire logic         clk_i,
  input  wire logic         variant_i,  // constant while operands are in flight
  input  wire logic [31:0]  a_i,
  input  wire logic [31:0]  b_i,
  output logic [79:0]       differ_o  // bit 8 * (2 * operator + Subnormal) + index of the latency
);
  localparam int Longest = 40;

  for (genvar op = 0; op < 5; op++) begin : gen_op
    localparam int Paper = op == 0 ? 12 : op == 1 ? 9 : op == 2 ? 29 : op == 3 ? 28 : 2;
    for (genvar s = 0; s < 2; s++) begin : gen_behaviour
      wire [31:0] known, known_late;
      gw_fp_bench #(.Op(op), .Latency(Paper), .Subnormal(s == 1), .Lanes(1)) u_paper (
        .clk_i, .variant_i, .a_i, .b_i, .result_o(known)
      );
      gw_fp_registers #(.Width(32), .Latency(Longest), .Depth(Longest - Paper)) u_delay (.clk_i, .enable_i('1), .d_i(known), .q_o(known_late));
      for (genvar i = 0; i < 8; i++) begin : gen_latency
        localparam int Latency = i < 4 ? i + 1 : i == 4 ? 6 : 10 << (i - 5);  // 1 2 3 4 6 10 20 40
        wire [31:0] result, late;
        gw_fp_bench #(.Op(op), .Latency(Latency), .Subnormal(s == 1), .Lanes(1)) u_operator (
          .clk_i, .variant_i, .a_i, .b_i, .result_o(result)
        );
        gw_fp_registers #(.Width(32), .Latency(Longest), .Depth(Longest - Latency)) u_align (.clk_i, .enable_i('1), .d_i(result), .q_o(late));
        assign differ_o[8*(2*op + s) + i] = late != known_late;
      end
    end
  end
endmodule

`default_nettype wire
