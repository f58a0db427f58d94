// Quotient or square root of binary32 numbers, one digit a cycle on shared hardware; for one a cycle take gw_fp_div, gw_fp_sqrt.
// Latency 30 cycles, one operation at a time; the result stays until 4 cycles before the next one's.
// Optimizer switch (IEICE'21) section 5.3, for iterative processing elements; not in the paper.
`default_nettype none

// Operands are sampled in the cycle with start_i; start_i again from the cycle of the result on. Round to nearest even,
// Subnormal as in gw_fp_div. The rows that the pipelined operators have one a digit are here one row, used 26 times.
module gw_fp_divsqrt_iterative #(
  parameter bit Subnormal = 1'b0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        start_i,
  input  wire logic        root_i,  // 1: square root of a_i; 0: a_i / b_i
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  output logic [31:0]      result_o
);
  localparam logic [4:0] Digits = 5'd26;
  localparam int FinishCycles = 3;

  // Classify, normalise, in the cycle of the start.
  wire        a_sign, b_sign;
  wire [1:0]  a_kind, b_kind;
  wire [9:0]  a_exponent, b_exponent;
  wire [23:0] a, b;
  gw_fp_unpack #(.Subnormal(Subnormal), .Latency(0), .Cuts(2)) u_unpack_a (
    .clk_i, .value_i(a_i), .sign_o(a_sign), .kind_o(a_kind), .exponent_o(a_exponent), .significand_o(a)
  );
  gw_fp_unpack #(.Subnormal(Subnormal), .Latency(0), .Cuts(2)) u_unpack_b (
    .clk_i, .value_i(b_i), .sign_o(b_sign), .kind_o(b_kind), .exponent_o(b_exponent), .significand_o(b)
  );
  wire any_nan  = &a_kind || &b_kind || (a_kind == b_kind && a_kind != gw_fp_pkg::KindNumber);  // 0/0, inf/inf
  wire infinite = a_kind == gw_fp_pkg::KindInfinity || b_kind == gw_fp_pkg::KindZero;
  wire zero     = a_kind == gw_fp_pkg::KindZero || b_kind == gw_fp_pkg::KindInfinity;
  wire [1:0] quotient_kind = any_nan ? gw_fp_pkg::KindNan
                           : infinite ? gw_fp_pkg::KindInfinity
                           : zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber;
  wire [1:0] root_kind = a_sign && a_kind != gw_fp_pkg::KindZero ? gw_fp_pkg::KindNan : a_kind;
  wire [9:0] root_biased = a_exponent + 10'd127;

  // A digit: 1 if the remainder holds what the digit stands for, the divisor or 4 * root + 1. The remainder of a
  // quotient moves by one place, that of a root by two, with the operand's next bits.
  logic [4:0]  left_q;       // digits
  logic        root_q, sign_q;
  logic [1:0]  kind_q;
  logic [9:0]  exponent_q;
  logic [28:0] remainder_q;  // as it is compared
  logic [23:0] below_q;      // the operand's bits to come (root), the divisor (quotient)
  logic [25:0] digits_q;
  wire  [28:0] subtrahend = root_q ? {1'b0, digits_q, 2'b01} : {5'd0, below_q};
  wire  [29:0] rest  = {1'b0, remainder_q} - {1'b0, subtrahend};
  wire         digit = ~rest[29];
  wire  [28:0] kept  = digit ? rest[28:0] : remainder_q;
  wire         unused_bits = ^{kept[28], root_biased[0]};
  always_ff @(posedge clk_i) begin
    if (!rst_ni)              left_q <= '0;
    else if (start_i)         left_q <= Digits;
    else if (left_q != 5'd0)  left_q <= left_q - 5'd1;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      root_q      <= root_i;
      sign_q      <= root_i ? a_sign : a_sign ^ b_sign;
      kind_q      <= root_i ? root_kind : quotient_kind;
      exponent_q  <= root_i ? {1'b0, root_biased[9:1]} : a_exponent - b_exponent + 10'd127;
      remainder_q <= root_i ? {27'd0, a_exponent[0] ? {1'b0, a[23]} : a[23:22]} : {5'd0, a};
      below_q     <= root_i ? (a_exponent[0] ? {a[22:0], 1'b0} : {a[21:0], 2'b00}) : b;
      digits_q    <= '0;
    end else if (left_q != 5'd0) begin
      remainder_q <= root_q ? {kept[26:0], below_q[23:22]} : {kept[27:0], 1'b0};
      if (root_q) below_q <= {below_q[21:0], 2'b00};
      digits_q    <= {digits_q[24:0], digit};
    end
  end

  // Denormalise, round, select. A quotient below 1 moves up by one place; one above does without its last digit, which no
  // quotient that comes out even needs, and the root's last digit is as good as its remainder.
  wire whole = digits_q[25];
  gw_fp_finish #(.Denormalise(Subnormal), .Latency(FinishCycles), .Cuts(Subnormal ? 3 : 2), .First(0)) u_finish (
    .clk_i,
    .sign_i        (sign_q),
    .kind_i        (kind_q),
    .exponent_i    (exponent_q - {9'd0, ~whole}),
    .significand_i ({whole ? digits_q[25:1] : digits_q[24:0], remainder_q != 29'd0 || (root_q && digits_q[0])}),
    .result_o
  );
endmodule

`default_nettype wire
