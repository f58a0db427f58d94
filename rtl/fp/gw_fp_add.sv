// Sum or difference of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; seven steps), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 12 cycles in profile paper.
`default_nettype none

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// Lane i of operands and result is [32*i +: 32].
module gw_fp_add #(
  parameter int Latency = 12,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic                subtract_i,
  input  wire logic [32*Lanes-1:0] a_i,
  input  wire logic [32*Lanes-1:0] b_i,
  output logic [32*Lanes-1:0]      result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_add: Latency must be at least 1");

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    wire [31:0] a_in = a_i[32*lane +: 32];
    wire [31:0] b_in = b_i[32*lane +: 32];
    wire [31:0] result;
    assign result_o[32*lane +: 32] = result;

    localparam int Cuts = 7;

    // 1. Classify: flush, negate, order by magnitude; the result has the sign of the larger one.
    wire [31:0] a = gw_fp_pkg::flush(a_in, Subnormal);
    wire [31:0] b = gw_fp_pkg::flush(b_in ^ {subtract_i, 31'd0}, Subnormal);
    wire        swap  = a[30:0] < b[30:0];
    wire [31:0] major = swap ? b : a;
    wire [30:0] minor = swap ? a[30:0] : b[30:0];
    wire        differ = a[31] ^ b[31];
    wire        nan_in = &major[30:23] && major[22:0] != 23'd0;  // in order of magnitude, NaN is above infinity
    wire        clash  = differ && &minor[30:23];               // infinity less infinity
    wire [1:0]  kind = nan_in || clash ? gw_fp_pkg::KindNan
                     : &major[30:23] ? gw_fp_pkg::KindInfinity : gw_fp_pkg::KindNumber;
    wire [7:0]  gap  = gw_fp_pkg::exponent(major[30:23]) - gw_fp_pkg::exponent(minor[30:23]);
    wire        sign1, zero_sign1, differ1;
    wire [1:0]  kind1;
    wire [7:0]  exponent1, gap1;
    wire [23:0] large1, small1;
    gw_fp_stage #(.Width(21), .Latency(Latency), .Cuts(Cuts), .Cut(0)) u_classify (
      .clk_i,
      .d_i ({major[31], a[31] & b[31], differ, kind, gw_fp_pkg::exponent(major[30:23]), gap}),
      .q_o ({sign1, zero_sign1, differ1, kind1, exponent1, gap1})
    );
    gw_fp_stage #(.Width(48), .Latency(Latency), .Cuts(Cuts), .Cut(0)) u_classify_significands (
      .clk_i,
      .d_i ({gw_fp_pkg::significand(major[30:0]), gw_fp_pkg::significand(minor)}),
      .q_o ({large1, small1})
    );

    // 2. Align: the smaller one moves down to the exponent of the larger; what falls out is kept as one sticky bit.
    wire [4:0]  places  = gap1[7:5] != 3'd0 ? 5'd31 : gap1[4:0];
    wire [26:0] wide    = {small1, 3'd0};
    wire [26:0] shifted = wide >> places;
    wire        lost    = (wide & ~(27'h7FF_FFFF << places)) != 27'd0;
    wire        sign2, zero_sign2, differ2;
    wire [1:0]  kind2;
    wire [7:0]  exponent2;
    wire [23:0] large2;
    wire [26:0] small2;
    gw_fp_stage #(.Width(13), .Latency(Latency), .Cuts(Cuts), .Cut(1)) u_align (
      .clk_i,
      .d_i ({sign1, zero_sign1, differ1, kind1, exponent1}),
      .q_o ({sign2, zero_sign2, differ2, kind2, exponent2})
    );
    gw_fp_stage #(.Width(51), .Latency(Latency), .Cuts(Cuts), .Cut(1)) u_align_significands (
      .clk_i,
      .d_i ({large1, shifted[26:1], shifted[0] | lost}),
      .q_o ({large2, small2})
    );

    // 3. Add: never negative, because the larger one comes first.
    wire [27:0] sum = {1'b0, large2, 3'd0} + ({1'b0, small2} ^ {28{differ2}}) + {27'd0, differ2};
    wire        sign3, zero_sign3;
    wire [1:0]  kind3;
    wire [7:0]  exponent3;
    wire [27:0] sum3;
    gw_fp_stage #(.Width(40), .Latency(Latency), .Cuts(Cuts), .Cut(2)) u_add (
      .clk_i,
      .d_i ({sign2, zero_sign2, kind2, exponent2, sum}),
      .q_o ({sign3, zero_sign3, kind3, exponent3, sum3})
    );

    // 4. Count: how far to normalise, but not below the exponent of the smallest normal number.
    wire [4:0] zeros   = gw_fp_pkg::leading_zeros({sum3, 3'd0});
    wire       below   = {3'd0, zeros} > exponent3;
    wire       is_zero = sum3 == 28'd0 || (!Subnormal && below);
    wire [4:0] count   = below ? exponent3[4:0] : zeros;
    wire [7:0] field   = below ? 8'd0 : exponent3 + 8'd1 - {3'd0, zeros};
    wire [1:0] kind_after = kind3 == gw_fp_pkg::KindNumber && is_zero ? gw_fp_pkg::KindZero : kind3;
    wire        sign4;
    wire [1:0]  kind4;
    wire [7:0]  exponent4;
    wire [4:0]  count4;
    wire [27:0] sum4;
    gw_fp_stage #(.Width(44), .Latency(Latency), .Cuts(Cuts), .Cut(3)) u_count (
      .clk_i,
      .d_i ({sum3 == 28'd0 && !kind3[1] ? zero_sign3 : sign3, kind_after, field, count, sum3}),
      .q_o ({sign4, kind4, exponent4, count4, sum4})
    );

    // 5. Normalise.
    wire [27:0] normal = sum4 << count4;
    wire        unused_hidden = normal[27];
    wire        sign5;
    wire [1:0]  kind5;
    wire [7:0]  exponent5;
    wire [24:0] normal5;  // fraction, next bit, sticky bit
    gw_fp_stage #(.Width(36), .Latency(Latency), .Cuts(Cuts), .Cut(4)) u_normalise (
      .clk_i,
      .d_i ({sign4, kind4, exponent4, normal[26:3], |normal[2:0]}),
      .q_o ({sign5, kind5, exponent5, normal5})
    );

    // 6. Round: a carry out of the fraction counts the exponent up.
    wire        up = normal5[1] & (normal5[0] | normal5[2]);
    wire        sign6;
    wire [1:0]  kind6;
    wire [30:0] number6;
    gw_fp_stage #(.Width(34), .Latency(Latency), .Cuts(Cuts), .Cut(5)) u_round (
      .clk_i,
      .d_i ({sign5, kind5, {exponent5, normal5[24:2]} + {30'd0, up}}),
      .q_o ({sign6, kind6, number6})
    );

    // 7. Select.
    wire       over = &number6[30:23];
    wire [1:0] outcome = kind6 == gw_fp_pkg::KindNumber && over ? gw_fp_pkg::KindInfinity : kind6;
    gw_fp_stage #(.Width(32), .Latency(Latency), .Cuts(Cuts), .Cut(6)) u_select (
      .clk_i,
      .d_i (gw_fp_pkg::select(outcome, sign6, number6)),
      .q_o (result)
    );
  end
endmodule

`default_nettype wire
