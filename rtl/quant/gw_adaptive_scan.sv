// Which values of a chunk are sent: its largest bin is found, 128 bins are looked through from it down, two
// of each sign a cycle, and what is taken is summed up; then the means, and k.
// One chunk in 64 cycles; a chunk's result is there 25 cycles after its last step.
// Dryden et al. (MLHPC'16) section 3.3; docs/devices/adaptive.md, window, selection, mean, scan, start
// condition 4.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_adaptive_scan (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  // The first item of a chunk that is not RAW starts.
  output logic             room_o,       // it may, as far as histograms go
  input  wire logic        begin_i,
  input  wire logic [3:0]  p_i,
  input  wire logic [12:0] n_i,
  // Its payload items, 8 cycles after their start.
  input  wire logic        valid_i,
  input  wire logic        first_i,
  input  wire logic        last_i,
  input  wire logic        spoilt_i,     // something was not finite
  input  wire logic [7:0]  positive_i,   // lanes below n
  input  wire logic [7:0]  negative_i,
  input  wire logic [39:0] larger_i,     // the larger bin of each two lanes; 0 of what has none
  // The histogram.
  output logic             bank_o,
  output logic             scan_o,
  output logic             scan_bank_o,
  output logic [8:0]       scan_even_o,  // which of the even bins is read, and which odd one
  output logic [8:0]       scan_odd_o,
  input  wire logic [51:0] counts_i,     // 4 cycles later
  output logic             done_o,
  output logic             spoilt_o,
  output logic [3:0]       k_o,
  // the last bin that is taken: of the side that is not negative in the lower half
  output logic [19:0]      from_o,
  output logic [61:0]      means_o       // likewise, without signs
);
  // What belongs to each of the two histograms. What a chunk begins with stays until 8 cycles before its scan
  // ends.
  logic        begin_q, begin_bank_q, spoilt9_q, spoilt0_q, spoilt1_q, valid9_q, first9_q, last9_q, bank9_q,
    last10_q, bank10_q;
  logic [3:0]  p_q, p0_q, p1_q;
  logic [12:0] begin_n_q, n0_q, n1_q;
  wire         ends = valid_i & last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begin_q      <= 1'b0;
      begin_bank_q <= 1'b0;
      bank_o       <= 1'b0;
    end else begin
      begin_q      <= begin_i;
      begin_bank_q <= begin_bank_q ^ begin_q;
      bank_o       <= bank_o ^ ends;
    end
  end
  always_ff @(posedge clk_i) begin
    valid9_q <= valid_i & rst_ni;
    last10_q <= valid9_q & last9_q & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    p_q       <= p_i;
    begin_n_q <= n_i;
    if (begin_q & ~begin_bank_q) {p0_q, n0_q} <= {p_q, begin_n_q};
    if (begin_q & begin_bank_q)  {p1_q, n1_q} <= {p_q, begin_n_q};
    first9_q <= first_i;
    last9_q  <= last_i;
    bank9_q  <= bank_o;
    bank10_q <= bank9_q;
    if (valid_i) spoilt9_q <= (spoilt9_q & ~first_i) | spoilt_i;
    if (valid9_q & last9_q & ~bank9_q) spoilt0_q <= spoilt9_q;
    if (valid9_q & last9_q & bank9_q)  spoilt1_q <= spoilt9_q;
  end
  wire [3:0] p10 = bank10_q ? p1_q : p0_q;

  // The largest bin so far of the chunk that is counted, and of the chunk in each histogram.
  logic [9:0] largest_q, largest0_q, largest1_q;
  wire  [9:0] largest = gw_adaptive_pkg::largest(larger_i[9:0], larger_i[19:10], larger_i[29:20],
                                                 larger_i[39:30],
                                                 largest_q & {10{~first_i}});
  always_ff @(posedge clk_i) begin
    if (valid_i) largest_q            <= largest;
    if (valid_i & ~bank_o) largest0_q <= largest;
    if (valid_i & bank_o)  largest1_q <= largest;
  end

  // Histograms in use, until 7 cycles before the scan ends: what starts then is counted when it is over.
  logic [1:0] used_q;
  logic [5:0] scan_step_q;
  wire        ends_soon = scan_o & scan_step_q == 6'd55;
  wire  [1:0] used      = used_q - {1'b0, ends_soon};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= '0;
      room_o <= 1'b1;
    end else begin
      used_q <= used + {1'b0, begin_i};
      room_o <= ~(used[1] | (used[0] & begin_i));
    end
  end

  // The scan.
  logic [1:0] waiting_q;
  logic       next_bank_q, first_step_q;
  wire        last_step = scan_o & (&scan_step_q);
  wire        begins    = (waiting_q != 2'd0 | ends) & (~scan_o | last_step);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q   <= '0;
      scan_o      <= 1'b0;
      next_bank_q <= 1'b0;
    end else begin
      waiting_q   <= waiting_q + {1'b0, ends} - {1'b0, begins};
      scan_o      <= begins | (scan_o & ~last_step);
      next_bank_q <= next_bank_q ^ begins;
    end
  end
  always_ff @(posedge clk_i) begin
    scan_step_q  <= begins ? 6'd0 : scan_step_q + 6'd1;
    first_step_q <= begins;
    if (begins) scan_bank_o <= next_bank_q;
  end

  // Two bins a step, from the largest one down. If that is even, an even bin comes with the odd one of the
  // pair below: turned. Pairs are numbered, down to negative ones, which hold nothing.
  logic [9:0] pair_q;
  wire  [9:0] largest_scanned = scan_bank_o ? largest1_q : largest0_q;
  wire        turned    = ~largest_scanned[0];
  wire  [9:0] even_pair = first_step_q ? {1'b0, largest_scanned[9:1]} : pair_q;
  wire  [9:0] odd_pair  = even_pair - {9'd0, turned};
  always_ff @(posedge clk_i) pair_q <= even_pair - 10'd1;
  assign scan_even_o = even_pair[8:0];
  assign scan_odd_o  = odd_pair[8:0];

  // What its steps know, by cycles after them.
  logic [8:1]  scan_q, first_q;
  logic [4:1]  upper_even_q, upper_odd_q, low_even_q, low_odd_q;  // half of a binade; exponent field 0
  logic [7:1]  lower_q;   // the lower bin lies in a binade whose values weigh half of those before
  logic [5:1]  turned_q;
  logic [4:1]  bank_q;
  logic [5:0]  step_q [1:5];
  logic [25:1] last_q;
  always_ff @(posedge clk_i) begin
    scan_q <= {scan_q[7:1], scan_o} & {8{rst_ni}};
    last_q <= {last_q[24:1], last_step} & {25{rst_ni}};
  end
  always_ff @(posedge clk_i) begin
    first_q      <= {first_q[7:1], first_step_q};
    upper_even_q <= {upper_even_q[3:1], even_pair[0]};
    upper_odd_q  <= {upper_odd_q[3:1], odd_pair[0]};
    low_even_q   <= {low_even_q[3:1], even_pair[9:1] == 9'd0};
    low_odd_q    <= {low_odd_q[3:1], odd_pair[9:1] == 9'd0};
    lower_q      <= {lower_q[6:1], odd_pair[0] & ~odd_pair[9] & odd_pair[8:1] != 8'd0};
    turned_q     <= {turned_q[4:1], turned};
    bank_q       <= {bank_q[3:1], scan_bank_o};
    step_q[1]    <= scan_step_q;
    for (int j = 2; j <= 5; j++) step_q[j] <= step_q[j-1];
  end
  wire unused_steps = scan_q[8] ^ first_q[8];

  // What is known of the chunk as a whole: taken over amid the scan, held when it is over.
  logic        scan_spoilt_q;
  logic [12:0] scan_n_q, n_q;
  logic [9:0]  scan_largest_q;
  logic [7:0]  odd1_q, exponent_q;
  always_ff @(posedge clk_i) begin
    // The smallest binade is as large as the one above.
    odd1_q <= odd_pair[8:1] & {8{~odd_pair[9]}};
    if (last_q[1]) exponent_q <= odd1_q == 8'd0 ? 8'd1 : odd1_q;
    if (scan_o & scan_step_q == 6'd32) begin
      scan_largest_q <= largest_scanned;
      scan_spoilt_q <= scan_bank_o ? spoilt1_q : spoilt0_q;
      scan_n_q      <= scan_bank_o ? n1_q : n0_q;
    end
    if (last_q[1]) {spoilt_o, n_q} <= {scan_spoilt_q, scan_n_q};
  end

  wire [25:0] numbers;
  for (genvar s = 0; s < 2; s++) begin : gen_side
    // Values of a side, and how many of them are wanted.
    wire [7:0]   mine = s == 0 ? positive_i : negative_i;
    logic [3:0]  ones9_q;
    logic [12:0] number10_q;
    logic [11:0] wanted0_q, wanted1_q;
    wire  [11:0] wanted = gw_adaptive_pkg::wanted(number10_q, p10);
    always_ff @(posedge clk_i) begin
      ones9_q <= gw_onebit_pkg::ones(mine);
      if (valid9_q) number10_q <= (number10_q & {13{~first9_q}}) + {9'd0, ones9_q};
      if (last10_q & ~bank10_q) wanted0_q <= wanted;
      if (last10_q & bank10_q)  wanted1_q <= wanted;
    end

    // 4. Weights.
    wire  [12:0] odd  = counts_i[26*s + 13 +: 13];
    wire  [12:0] even = counts_i[26*s +: 13];
    wire  [12:0] upper = turned_q[4] ? even : odd;  // of the larger bin
    logic [12:0] upper5_q, both5_q;
    logic        no_upper5_q, none5_q;
    logic [16:0] odd_weight5_q;
    logic [17:0] even_weight5_q;
    wire  [16:0] even_weight = gw_adaptive_pkg::weigh_even(even, upper_even_q[4], low_even_q[4]);
    always_ff @(posedge clk_i) begin
      if (scan_q[4]) begin
        upper5_q       <= upper;
        both5_q        <= odd + even;
        no_upper5_q    <= upper == 13'd0;
        none5_q        <= odd == 13'd0 & even == 13'd0;
        odd_weight5_q  <= gw_adaptive_pkg::weigh_odd(odd, upper_odd_q[4], low_odd_q[4]);
        // Turned, it may be in the binade above that of the odd one.
        even_weight5_q <= turned_q[4] & lower_q[4] ? {even_weight, 1'b0} : {1'b0, even_weight};
      end
    end

    // 5. Take both, the larger bin, none. What is left of those wanted may become negative, by the first bin
    // that holds a value.
    logic [11:0] wanted5_q;
    logic [13:0] left6_q, wanted6_q;
    logic        some6_q, stopped6_q, takes_odd6_q, takes_even6_q;
    logic [6:0]  depth6_q;  // of the last bin that is taken, below the largest
    logic [16:0] odd_weight6_q;
    logic [17:0] even_weight6_q;
    wire  [13:0] left5      = first_q[5] ? {2'd0, wanted5_q} : left6_q;
    wire         some5      = some6_q & ~first_q[5];
    wire         stopped5   = stopped6_q & ~first_q[5];
    wire  [13:0] less_upper = left5 - {1'b0, upper5_q};
    wire  [13:0] less_both  = left5 - {1'b0, both5_q};
    wire         takes_upper = ~stopped5 & (~some5 | ~less_upper[13]);
    wire         takes_both  = takes_upper & ((~some5 & no_upper5_q) | ~less_both[13]);
    always_ff @(posedge clk_i) if (scan_q[4] & first_q[4]) wanted5_q <= bank_q[4] ? wanted1_q : wanted0_q;
    always_ff @(posedge clk_i) begin
      if (scan_q[5]) begin
        if (first_q[5]) wanted6_q <= {2'd0, wanted5_q};
        left6_q        <= takes_both ? less_both : takes_upper ? less_upper : left5;
        some6_q        <= some5 | (takes_upper & ~no_upper5_q) | (takes_both & ~none5_q);
        stopped6_q     <= ~takes_both;
        takes_odd6_q   <= turned_q[5] ? takes_both : takes_upper;
        takes_even6_q  <= turned_q[5] ? takes_upper : takes_both;
        odd_weight6_q  <= odd_weight5_q;
        even_weight6_q <= even_weight5_q;
        if (takes_upper) depth6_q <= {step_q[5], takes_both};
      end
    end

    // 6., 7. Their sum: twice what it was, from binade to binade.
    logic [17:0] term7_q;
    logic [12:0] number_q;
    logic [9:0]  from_q;
    logic [47:0] sum8_q;
    wire  [10:0] from7 = {1'b0, scan_largest_q} - {4'd0, depth6_q};
    wire  [13:0] taken = wanted6_q - left6_q;
    wire  [47:0] sum7  = (lower_q[7] ? {sum8_q[46:0], 1'b0} : sum8_q) & {48{~first_q[7]}};
    always_ff @(posedge clk_i) begin
      if (scan_q[6])
        term7_q <= {1'b0, odd_weight6_q & {17{takes_odd6_q}}} + (even_weight6_q & {18{takes_even6_q}});
      if (scan_q[7]) sum8_q  <= sum7 + {30'd0, term7_q};
      if (last_q[6]) number_q <= taken[12:0];
      if (last_q[6]) from_q   <= from7[9:0] & {10{~from7[10]}};
    end
    wire unused_taken = taken[13];
    assign numbers[13*s +: 13] = number_q;
    assign from_o[10*s +: 10]  = from_q;

    // 8. to 25.
    gw_adaptive_mean u_mean (
      .clk_i,
      .valid_i    (last_q[24:8]),
      .sum_i      (sum8_q),
      .number_i   (number_q),
      .exponent_i (exponent_q),
      .mean_o     (means_o[31*s +: 31])
    );
  end

  // 7. to 12. k.
  logic [13:0] c8_q;
  logic [21:0] thrice9_q, twice9_q;
  logic [23:0] thrice10_q, twice10_q;
  logic [26:0] thrice11_q, twice11_q;
  always_ff @(posedge clk_i) begin
    if (last_q[7]) c8_q <= {1'b0, numbers[12:0]} + {1'b0, numbers[25:13]};
    if (last_q[8]) begin
      thrice9_q <= {8'd0, c8_q} + {7'd0, c8_q, 1'b0};
      twice9_q  <= {8'd0, n_q, 1'b0};
    end
    if (last_q[9]) begin
      thrice10_q <= gw_threshold_pkg::front_far(thrice9_q);
      twice10_q  <= gw_threshold_pkg::front_far(twice9_q);
    end
    if (last_q[10]) begin
      thrice11_q <= gw_threshold_pkg::front_near(thrice10_q);
      twice11_q  <= gw_threshold_pkg::front_near(twice10_q);
    end
    if (last_q[11]) k_o <= gw_threshold_pkg::rice_k(thrice11_q, twice11_q);
  end
  assign done_o = last_q[25];

  `GW_ASSERT(AtMostTwoHistograms, used_q <= 2'd2)
  `GW_ASSERT(AtMostTwoWait, waiting_q <= 2'd2)
  `GW_ASSERT(BeginsWithRoom, !begin_i || room_o)
  `GW_COVER(ScanBehindScan, last_step && begins)
  `GW_COVER(WaitsForAHistogram, !room_o)
  `GW_COVER(TakesMoreThanWanted, last_q[6] && gen_side[0].left6_q[13])
  `GW_COVER(TakesTheLastBin, last_q[6] && (&gen_side[1].depth6_q) && gen_side[1].some6_q)
  `GW_COVER(WindowReachesBelowBinZero, last_q[6] && gen_side[0].from7[10])
endmodule

`default_nettype wire
