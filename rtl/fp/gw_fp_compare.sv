// Smaller of two binary32 numbers, and whether the first is less than the second.
// Latency `Latency` cycles (1 or more; two steps), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; the minimum of SMORMS3, Algorithm 4.
`default_nettype none

// min as IEEE 754-2019 minimumNumber: -0 is below +0, a NaN (quiet or signalling) loses against a number, two are
// 0x7FC00000. less is false if an operand is NaN, and -0 equals +0. Subnormal = 0: subnormals are signed zeros.
module gw_fp_compare #(
  parameter int Latency = 2,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic [32*Lanes-1:0] a_i,
  input  wire logic [32*Lanes-1:0] b_i,
  output logic [32*Lanes-1:0]      min_o,
  output logic [Lanes-1:0]         less_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_compare: Latency must be at least 1");

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    wire [31:0] a_in = a_i[32*lane +: 32];
    wire [31:0] b_in = b_i[32*lane +: 32];
    wire [31:0] min_out;
    wire        less_out;
    assign min_o[32*lane +: 32] = min_out;
    assign less_o[lane] = less_out;

    localparam int Cuts = 2;

    // Classify: a total order in which -0 is below +0.
    wire [31:0] a = gw_fp_pkg::flush(a_in, Subnormal);
    wire [31:0] b = gw_fp_pkg::flush(b_in, Subnormal);
    wire [1:0] a_kind = gw_fp_pkg::kind(a[30:0]);
    wire [1:0] b_kind = gw_fp_pkg::kind(b[30:0]);
    wire a_nan = a_kind == gw_fp_pkg::KindNan;
    wire b_nan = b_kind == gw_fp_pkg::KindNan;
    wire zeros = (a[30:0] | b[30:0]) == 31'd0;
    wire [31:0] a_key = a ^ {1'b1, {31{a[31]}}};  // in the order of unsigned numbers
    wire [31:0] b_key = b ^ {1'b1, {31{b[31]}}};
    wire below = a_key < b_key;
    wire below1, a_nan1, b_nan1, zeros1;
    wire [31:0] a1, b1;
    gw_fp_stage #(.Width(4), .Latency(Latency), .Cuts(Cuts), .Cut(0)) u_classify (
      .clk_i, .d_i({below, a_nan, b_nan, zeros}), .q_o({below1, a_nan1, b_nan1, zeros1})
    );
    gw_fp_stage #(.Width(64), .Latency(Latency), .Cuts(Cuts), .Cut(0)) u_operands (
      .clk_i, .d_i({a, b}), .q_o({a1, b1})
    );

    // Select.
    wire        less = below1 && !a_nan1 && !b_nan1 && !zeros1;
    wire [31:0] number = (below1 && !a_nan1) || b_nan1 ? a1 : b1;
    gw_fp_stage #(.Width(33), .Latency(Latency), .Cuts(Cuts), .Cut(1)) u_select (
      .clk_i, .d_i({less, a_nan1 && b_nan1 ? gw_fp_pkg::CanonicalNan : number}), .q_o({less_out, min_out})
    );
  end
endmodule

`default_nettype wire
