// Square root of a binary32 number, round to nearest even.
// Latency `Latency` cycles (1 or more; 28 steps, 29 with subnormals), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 28 cycles in profile paper.
`default_nettype none

// Subnormal = 0: subnormal operands are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000. No root is subnormal.
module gw_fp_sqrt #(
  parameter int Latency = 28,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic [32*Lanes-1:0] a_i,
  output logic [32*Lanes-1:0]      result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_sqrt: Latency must be at least 1");

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    wire [31:0] a_in = a_i[32*lane +: 32];
    wire [31:0] result;
    assign result_o[32*lane +: 32] = result;

    localparam int Digits = 25;                 // of a root from 1 to 2: 24 and one to round
    localparam int Extra  = Subnormal ? 1 : 0;  // a step in front for subnormals alone
    localparam int Cuts   = Digits + 3 + Extra;

    // Classify, normalise.
    wire        sign;
    wire [1:0]  a_kind;
    wire [9:0]  exponent;
    wire [23:0] a;
    gw_fp_unpack #(.Subnormal(Subnormal), .Latency(Latency), .Cuts(Cuts)) u_unpack (
      .clk_i, .value_i(a_in), .sign_o(sign), .kind_o(a_kind), .exponent_o(exponent), .significand_o(a)
    );
    wire [1:0] kind = sign && a_kind != gw_fp_pkg::KindZero ? gw_fp_pkg::KindNan : a_kind;
    wire [9:0] biased = exponent + 10'd127;  // half of it is the root's exponent, rounded down; never negative

    // Root: one digit a step, from two bits of the operand: 1 if the remainder holds 4 * root + 1.
    wire [11:0] beside    [0:Digits];  // sign, kind, exponent
    wire [25:0] operand   [0:Digits];  // from 1 to 4: two bits before the point
    wire [25:0] remainder [0:Digits];
    wire [24:0] root      [0:Digits];
    assign beside[0]    = {sign, kind, biased[9:1]};
    assign operand[0]   = exponent[0] ? {1'b0, a, 1'b0} : {a, 2'b00};
    assign remainder[0] = 26'd0;
    assign root[0]      = 25'd0;
    for (genvar i = 0; i < Digits; i++) begin : gen_digit
      wire [27:0] next  = {remainder[i], operand[i][25:24]};
      wire [27:0] rest  = next - {1'b0, root[i], 2'b01};
      wire        digit = next >= {1'b0, root[i], 2'b01};
      wire        unused_top = ^{next[27:26], rest[27:26]};
      gw_fp_stage #(.Width(52), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra + i)) u_root (
        .clk_i,
        .d_i ({digit ? rest[25:0] : next[25:0], operand[i][23:0], 2'b00}),
        .q_o ({remainder[i+1], operand[i+1]})
      );
      gw_fp_stage #(.Width(37), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra + i)) u_digit (
        .clk_i,
        .d_i ({beside[i], root[i][23:0], digit}),
        .q_o ({beside[i+1], root[i+1]})
      );
    end

    // Round, select.
    wire unused_operand = ^{operand[Digits], biased[0]};
    gw_fp_finish #(.Denormalise(1'b0), .Latency(Latency), .Cuts(Cuts), .First(Digits + 1 + Extra)) u_finish (
      .clk_i,
      .sign_i        (beside[Digits][11]),
      .kind_i        (beside[Digits][10:9]),
      .exponent_i    ({1'b0, beside[Digits][8:0]}),
      .significand_i ({root[Digits], remainder[Digits] != 26'd0}),
      .result_o(result)
    );
  end
endmodule

`default_nettype wire
