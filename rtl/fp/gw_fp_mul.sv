// Product of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; seven steps, nine with subnormals), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 9 cycles in profile paper.
`default_nettype none

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// Lane i of operands and result is [32*i +: 32].
module gw_fp_mul #(
  parameter int Latency = 9,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic [32*Lanes-1:0] a_i,
  input  wire logic [32*Lanes-1:0] b_i,
  output logic [32*Lanes-1:0]      result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_mul: Latency must be at least 1");

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    wire [31:0] a_in = a_i[32*lane +: 32];
    wire [31:0] b_in = b_i[32*lane +: 32];
    wire [31:0] result;
    assign result_o[32*lane +: 32] = result;

    localparam int Extra = Subnormal ? 1 : 0;  // a step in front, and one behind, for subnormals alone
    localparam int Cuts  = 7 + 2 * Extra;

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

    // Multiply: two partial products, as wide as a DSP slice takes them. What no arithmetic decides is decided beside it.
    wire any_nan  = &a_kind || &b_kind;
    wire any_inf  = a_kind == gw_fp_pkg::KindInfinity || b_kind == gw_fp_pkg::KindInfinity;
    wire any_zero = a_kind == gw_fp_pkg::KindZero || b_kind == gw_fp_pkg::KindZero;
    wire [1:0] kind = any_nan || (any_inf && any_zero) ? gw_fp_pkg::KindNan
                    : any_inf ? gw_fp_pkg::KindInfinity
                    : any_zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber;
    wire [40:0] low  = {17'd0, a} * {24'd0, b[16:0]};
    wire [30:0] high = {7'd0, a} * {24'd0, b[23:17]};
    wire        sign1, sign2;
    wire [1:0]  kind1, kind2;
    wire [9:0]  exponent1, exponent2;
    wire [40:0] low1, low2;
    wire [30:0] high1, high2;
    gw_fp_stage #(.Width(13), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra)) u_multiply (
      .clk_i,
      .d_i ({a_sign ^ b_sign, kind, a_exponent + b_exponent - 10'd127}),
      .q_o ({sign1, kind1, exponent1})
    );
    gw_fp_stage #(.Width(41), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra)) u_multiply_low (
      .clk_i, .d_i(low), .q_o(low1)
    );
    gw_fp_stage #(.Width(31), .Latency(Latency), .Cuts(Cuts), .Cut(1 + Extra)) u_multiply_high (
      .clk_i, .d_i(high), .q_o(high1)
    );

    // Product: the DSP slice's own output register.
    gw_fp_stage #(.Width(13), .Latency(Latency), .Cuts(Cuts), .Cut(2 + Extra)) u_product (
      .clk_i, .d_i({sign1, kind1, exponent1}), .q_o({sign2, kind2, exponent2})
    );
    gw_fp_stage #(.Width(41), .Latency(Latency), .Cuts(Cuts), .Cut(2 + Extra)) u_product_low (
      .clk_i, .d_i(low1), .q_o(low2)
    );
    gw_fp_stage #(.Width(31), .Latency(Latency), .Cuts(Cuts), .Cut(2 + Extra)) u_product_high (
      .clk_i, .d_i(high1), .q_o(high2)
    );

    // Sum.
    wire [47:0] product = {7'd0, low2} + {high2, 17'd0};
    wire        sign3;
    wire [1:0]  kind3;
    wire [9:0]  exponent3;
    wire [47:0] product3;
    gw_fp_stage #(.Width(61), .Latency(Latency), .Cuts(Cuts), .Cut(3 + Extra)) u_sum (
      .clk_i, .d_i({sign2, kind2, exponent2, product}), .q_o({sign3, kind3, exponent3, product3})
    );

    // Adjust: the product of two significands from 1 to 2 lies from 1 to 4.
    wire        carry  = product3[47];
    wire [25:0] adjusted = {carry ? product3[47:23] : product3[46:22],
                            product3[21:0] != 22'd0 || (carry && product3[22])};
    wire        sign4;
    wire [1:0]  kind4;
    wire [9:0]  exponent4;
    wire [25:0] significand4;
    gw_fp_stage #(.Width(39), .Latency(Latency), .Cuts(Cuts), .Cut(4 + Extra)) u_adjust (
      .clk_i,
      .d_i ({sign3, kind3, exponent3 + {9'd0, carry}, adjusted}),
      .q_o ({sign4, kind4, exponent4, significand4})
    );

    // Denormalise, round, select.
    gw_fp_finish #(.Denormalise(Subnormal), .Latency(Latency), .Cuts(Cuts), .First(5 + Extra)) u_finish (
      .clk_i,
      .sign_i        (sign4),
      .kind_i        (kind4),
      .exponent_i    (exponent4),
      .significand_i (significand4),
      .result_o(result)
    );
  end
endmodule

`default_nettype wire
