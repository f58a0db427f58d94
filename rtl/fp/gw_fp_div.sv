// Quotient of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; 29 steps, 31 with subnormals), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 29 cycles in profile paper.
`default_nettype none

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// Lane i of operands and result is [32*i +: 32].
module gw_fp_div #(
  parameter int Latency = 29,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic [32*Lanes-1:0] a_i,
  input  wire logic [32*Lanes-1:0] b_i,
  output logic [32*Lanes-1:0]      result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_div: Latency must be at least 1");

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    wire [31:0] a_in = a_i[32*lane +: 32];
    wire [31:0] b_in = b_i[32*lane +: 32];
    wire [31:0] result;
    assign result_o[32*lane +: 32] = result;

    localparam int Digits = 26;                 // of a quotient from 1/2 to 2: 24, one to round, one if it is below 1
    localparam int Extra  = Subnormal ? 1 : 0;  // a step in front, and one behind, for subnormals alone
    localparam int Cuts   = Digits + 3 + 2 * Extra;

    // Classify, normalise.
    wire        a_sign, b_sign;
    wire [1:0]  a_kind, b_kind;
    wire [9:0]  a_exponent, b_exponent;
    wire [23:0] a, b;
    gw_fp_unpack #(.Subnormal(Subnormal), .Latency(Latency), .Cuts(Cuts)) u_unpack_a (
      .clk_i, .value_i(a_in), .sign_o(a_sign), .kind_o(a_kind), .exponent_o(a_exponent), .significand_o(a)
    );
    gw_fp_unpack #(.Subnormal(Subnormal), .Latency(Latency), .Cuts(Cuts)) u_unpack_b (
      .clk_i, .value_i(b_in), .sign_o(b_sign), .kind_o(b_kind), .exponent_o(b_exponent), .significand_o(b)
    );
    wire any_nan  = &a_kind || &b_kind || (a_kind == b_kind && a_kind != gw_fp_pkg::KindNumber);  // 0/0, inf/inf
    wire infinite = a_kind == gw_fp_pkg::KindInfinity || b_kind == gw_fp_pkg::KindZero;
    wire zero     = a_kind == gw_fp_pkg::KindZero || b_kind == gw_fp_pkg::KindInfinity;
    wire [1:0] kind = any_nan ? gw_fp_pkg::KindNan
                    : infinite ? gw_fp_pkg::KindInfinity
                    : zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber;

    // Divide: one digit a step, 1 if the remainder holds the divisor. The remainder stays below twice the divisor.
    wire [12:0] beside    [0:Digits];  // sign, kind, exponent
    wire [24:0] remainder [0:Digits];
    wire [23:0] divisor   [0:Digits];
    wire [25:0] quotient  [0:Digits];
    assign beside[0]    = {a_sign ^ b_sign, kind, a_exponent - b_exponent + 10'd127};
    assign remainder[0] = {1'b0, a};
    assign divisor[0]   = b;
    assign quotient[0]  = 26'd0;
    for (genvar i = 0; i < Digits; i++) begin : gen_digit
      wire [25:0] rest  = {1'b0, remainder[i]} - {2'b00, divisor[i]};
      wire        digit = ~rest[25];
      wire        unused_top = rest[24];
      gw_fp_stage #(.Width(49), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra + i)) u_divide (
        .clk_i,
        .d_i ({digit ? rest[23:0] : remainder[i][23:0], 1'b0, divisor[i]}),
        .q_o ({remainder[i+1], divisor[i+1]})
      );
      gw_fp_stage #(.Width(39), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra + i)) u_quotient (
        .clk_i,
        .d_i ({beside[i], quotient[i][24:0], digit}),
        .q_o ({beside[i+1], quotient[i+1]})
      );
    end

    // Denormalise, round, select; a quotient below 1 moves up by one place, one above drops its last digit: no
    // quotient of 24-bit numbers that comes out even needs it, and one that does not has a remainder.
    wire        whole  = quotient[Digits][25];
    wire        sticky = remainder[Digits] != 25'd0;
    wire        unused_divisor = ^divisor[Digits];
    gw_fp_finish #(.Denormalise(Subnormal), .Latency(Latency), .Cuts(Cuts), .First(Digits + 1 + Extra)) u_finish (
      .clk_i,
      .sign_i        (beside[Digits][12]),
      .kind_i        (beside[Digits][11:10]),
      .exponent_i    (beside[Digits][9:0] - {9'd0, ~whole}),
      .significand_i ({whole ? quotient[Digits][25:1] : quotient[Digits][24:0], sticky}),
      .result_o(result)
    );
  end
endmodule

`default_nettype wire
