// Packets of quantised gradients in, binary32 values out: every format and coding; the header says which.
// Latency 8 cycles from the beat that completes an output beat; a beat a cycle, Rice two entries a cycle.
// Anoosheh et al. (thresholds), Dryden et al. (one-bit, adaptive), OCP MX v1.0; ports and cycle contract:
// docs/devices/dequantizer.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [19:0]  limit_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [287:0]      malformed_count_o,
  output logic [31:0]       error_count_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  logic [2:0]   read, read_two, read_three, held, last, format;
  logic [4:0]   place, fixed;
  logic [6:0]   total, reason;
  logic         user, zero, e5m2, rice, none, single, mask;
  logic [7:0]   status;
  logic [511:0] beats;
  logic [8:0]   group;
  logic [3:0]   k;
  logic [16:0]  beat;
  logic [19:0]  n;
  logic [2:0]   tail;
  logic [8:0]   first_fixed;
  logic [63:0]  levels;
  gw_dequantizer_buffer u_buffer (
    .clk_i, .rst_ni, .limit_i,
    .valid_i  (s_axis_tvalid),
    .ready_o  (s_axis_tready),
    .data_i   (s_axis_tdata),
    .keep_i   (s_axis_tkeep),
    .last_i   (s_axis_tlast),
    .user_i   (s_axis_tuser),
    .read_i   (read),
    .two_i    (read_two[1:0]),
    .three_i  (read_three[1:0]),
    .byte_i   (place),
    .held_o   (held),
    .last_o   (last),
    .total_o  (total),
    .user_o   (user),
    .status_o (status),
    .beats_o  (beats),
    .group_o  (group),
    .zero_o   (zero),
    .reason_o (reason),
    .format_o (format),
    .e5m2_o   (e5m2),
    .rice_o   (rice),
    .empty_o  (none),
    .single_o (single),
    .mask_o   (mask),
    .first_o  (first_fixed),
    .k_o      (k),
    .fixed_o  (fixed),
    .beat_o   (beat),
    .n_o      (n),
    .tail_o   (tail),
    .levels_o (levels)
  );

  wire unused_read = read_two[2] ^ read_three[2];

  // Plain tokens.
  logic [5:0] queued_q;
  wire roomy = ~(queued_q[5] | (queued_q[4] & queued_q[3]));
  logic [3:0] at_word;
  logic       hall, over, word, further, token, first_token, final_token, runs, opens;
  logic [8:0] groups;
  logic [6:0] finish;
  // What a Rice packet leaves in its stations is cleared while the first of its beats is drained.
  logic over_q;
  always_ff @(posedge clk_i) over_q <= over & rst_ni;
  // The byte after the place.
  wire [255:0] behind   = beats[263:8];
  wire [63:0]  of_32    = place[4] ? (place[3] ? behind[255:192] : behind[191:128])
                          : (place[3] ? behind[127:64] : behind[63:0]);
  wire [15:0]  of_8     = place[2] ? (place[1] ? of_32[63:48] : of_32[47:32])
                          : (place[1] ? of_32[31:16] : of_32[15:0]);
  wire [7:0]   next_byte = place[0] ? of_8[15:8] : of_8[7:0];
  gw_dequantizer_reader u_reader (
    .clk_i, .rst_ni,
    .roomy_i   (roomy),
    .held_i    (held),
    .last_i    (last),
    .group_i   (group),
    .zero_i    (zero),
    .second_i  (next_byte),
    .format_i  (format),
    .rice_i    (rice),
    .empty_i   (none),
    .single_i  (single),
    .mask_i    (mask),
    .fixed_i   (first_fixed),
    .beat_i    (beat),
    .tail_i    (tail),
    .hall_i    (hall),
    .over_i    (over_q),
    .read_o    (read),
    .two_o     (read_two),
    .three_o   (read_three),
    .byte_o    (place),
    .word_o    (word),
    .words_o   (at_word),
    .further_o (further),
    .token_o   (token),
    .first_o   (first_token),
    .final_o   (final_token),
    .runs_o    (runs),
    .opens_o   (opens),
    .groups_o  (groups),
    .finish_o  (finish)
  );
  logic         plain_valid, plain_final, plain_user, plain_error;
  logic [8:0]   plain_malformed;
  logic [7:0]   plain_below;
  logic [103:0] plain_lanes;
  logic [255:0] plain_whole;
  logic [2:0]   zeros_q;
  wire          leaves_in_error = user | status != 8'd0;
  gw_dequantizer_group u_group (
    .clk_i, .rst_ni,
    .token_i     (token),
    .first_i     (first_token),
    .final_i     (final_token),
    .runs_i      (runs),
    .opens_i     (opens),
    .groups_i    (groups),
    .finish_i    (finish),
    .byte_i      (place),
    .total_i     (total),
    .wrong_i     (status[7:3] != 5'd0),
    .user_i      (leaves_in_error),
    .beats_i     (beats),
    .format_i    (format),
    .e5m2_i      (e5m2),
    .tail_i      (tail),
    .reason_i    (reason),
    .zeros_i     (zeros_q),
    .valid_o     (plain_valid),
    .malformed_o (plain_malformed),
    .error_o     (plain_error),
    .final_o     (plain_final),
    .user_o      (plain_user),
    .below_o     (plain_below),
    .lanes_o     (plain_lanes),
    .whole_o     (plain_whole)
  );

  // Rice: the two words from the place on; after the packet's last byte all is 0.
  wire [63:0]  this_word = (beats[63:0] & {64{at_word[0]}}) | (beats[127:64] & {64{at_word[1]}})
                           | (beats[191:128] & {64{at_word[2]}})
                         | (beats[255:192] & {64{at_word[3]}});
  wire [63:0]  next_word = (beats[127:64] & {64{at_word[0]}}) | (beats[191:128] & {64{at_word[1]}})
                           | (beats[255:192] & {64{at_word[2]}})
                         | (beats[319:256] & {64{further}});
  wire [127:0] words     = {next_word, this_word};
  wire [6:0]   to_end    = total - {2'd0, place[4:3], 3'd0};
  logic        step, pair, room, rice_emit, rice_user;
  logic [3:0]  ones_one, ones_both, ones_two;
  logic [31:0] code_one;
  logic [25:0] code_two;
  logic [1:0]  shift_one, shift_two;
  logic [4:0]  rest_one, rest_two;
  logic [5:0]  step_place;
  logic [6:0]  step_bytes;
  logic [1:0]  step_status, rice_kind;
  logic [103:0] rice_lanes;
  wire         qgt = format == 3'd3;
  gw_dequantizer_words u_words (
    .clk_i, .rst_ni,
    .clear_i     (over_q),
    .fetch_i     (word),
    .words_i     (words),
    .bytes_i     (to_end),
    .status_i    ({status[7:3] != 5'd0, leaves_in_error}),
    .fixed_i     (fixed),
    .k_i         (k),
    .qgt_i       (qgt),
    .room_i      (room),
    .hall_o      (hall),
    .step_o      (step),
    .pair_o      (pair),
    .ones_one_o  (ones_one),
    .ones_both_o (ones_both),
    .ones_two_o  (ones_two),
    .one_o       (code_one),
    .two_o       (code_two),
    .shift_one_o (shift_one),
    .shift_two_o (shift_two),
    .rest_one_o  (rest_one),
    .rest_two_o  (rest_two),
    .place_o     (step_place),
    .bytes_o     (step_bytes),
    .status_o    (step_status)
  );
  gw_dequantizer_entries u_entries (
    .clk_i, .rst_ni,
    .clear_i     (over_q),
    .roomy_i     (roomy),
    .n_i         (n),
    .k_i         (k),
    .fixed_i     (fixed),
    .qgt_i       (qgt),
    .zeros_i     (zeros_q),
    .step_i      (step),
    .pair_i      (pair),
    .ones_one_i  (ones_one),
    .ones_both_i (ones_both),
    .ones_two_i  (ones_two),
    .one_i       (code_one),
    .two_i       (code_two),
    .shift_one_i (shift_one),
    .shift_two_i (shift_two),
    .rest_one_i  (rest_one),
    .rest_two_i  (rest_two),
    .place_i     (step_place),
    .bytes_i     (step_bytes),
    .status_i    (step_status),
    .room_o      (room),
    .emit_o      (rice_emit),
    .kind_o      (rice_kind),
    .user_o      (rice_user),
    .lanes_o     (rice_lanes),
    .over_o      (over)
  );

  // What a packet's values are made of goes along, also while its codes are read: a Rice packet's first beat
  // is emitted four cycles after its first fetch.
  typedef struct packed {
    logic        sign;
    logic [7:0]  exponent;
    logic [22:0] fraction;
  } float_t;
  logic [2:0]  format_q [1:5];
  logic [2:0]  tail_q   [1:4];
  logic [63:0] levels_q [1:5];
  float_t t1;
  assign t1 = levels_q[1][63:32];
  wire [2:0] zeros = t1.exponent != 8'd0 ? 3'd0 : t1.fraction[22] ? 3'd1 : t1.fraction[21] ? 3'd2
                     : t1.fraction[20] ? 3'd3
                   : t1.fraction[19] ? 3'd4 : t1.fraction[18] ? 3'd5 : t1.fraction[17] ? 3'd6 : 3'd7;
  wire unused_t1 = ^{t1.sign, t1.fraction[16:0]};
  logic [2:0] zeros_before_q;
  always_ff @(posedge clk_i) begin
    format_q[1] <= format;
    tail_q[1]   <= tail;
    levels_q[1] <= levels;
    for (int j = 2; j <= 5; j++) begin
      format_q[j] <= format_q[j-1];
      levels_q[j] <= levels_q[j-1];
    end
    for (int j = 2; j <= 4; j++) tail_q[j] <= tail_q[j-1];
    zeros_before_q <= zeros;
    zeros_q        <= zeros_before_q;
  end

  // Emitted: by a plain token of four cycles ago, or by Rice. Rice is read when no plain token is left so far
  // in front.
  logic         valid_q, final_q, user_q, whole_q, error;
  logic [8:0]   malformed_q;
  logic [7:0]   below_q;
  logic [103:0] lanes_q;
  logic [255:0] values_q;
  wire [2:0]    format4   = format_q[4];
  wire [2:0]    rice_tail = tail_q[4];
  wire [7:0]    rice_below = rice_kind == 2'd1 & rice_tail != 3'd0 ? ~(8'hFF << rice_tail) : 8'hFF;
  always_ff @(posedge clk_i) valid_q <= (plain_valid | rice_emit) & rst_ni;
  always_ff @(posedge clk_i) begin
    final_q     <= rice_emit ? rice_kind == 2'd1 : plain_final;
    user_q      <= rice_emit ? rice_user : plain_user;
    malformed_q <= rice_emit ? {rice_kind == 2'd3, rice_kind == 2'd2, 7'd0} : plain_malformed;
    error       <= rice_emit ? rice_kind[1] : plain_error;
    below_q     <= rice_emit ? rice_below : plain_below;
    lanes_q     <= rice_emit ? rice_lanes : plain_lanes;
    values_q    <= plain_whole;
    whole_q     <= format4 == 3'd0 | format4 == 3'd1 | (format4[2] & format4[1]);
  end

  // Products and what needs none.
  logic       valid_qq;
  logic [8:0] malformed_qq;
  logic [9:0] end_qq;
  float_t     t4, t5;
  wire [31:0] second5;  // the other mean
  assign t4 = levels_q[4][63:32];
  assign {t5, second5} = levels_q[5];
  wire [2:0]  format5 = format_q[5];
  wire        means   = format5[2] & ~format5[1];
  wire [23:0] digits  = {t5.exponent != 8'd0, t5.fraction};
  // A stage earlier: T's exponent and 6, zeros after its digits.
  logic [8:0] six_q;
  logic [2:0] even_q;
  logic       nothing_q;
  wire unused_sign4 = t4.sign;
  always_ff @(posedge clk_i) begin
    six_q     <= {1'b0, t4.exponent[7:1], t4.exponent[0] | t4.exponent == 8'd0} + 9'd6;
    even_q    <= t4.fraction[0] ? 3'd0 : t4.fraction[1] ? 3'd1 : t4.fraction[2] ? 3'd2 : t4.fraction[3] ? 3'd3
               : t4.fraction[4] ? 3'd4 : t4.fraction[5] ? 3'd5 : t4.fraction[6] ? 3'd6 : 3'd7;
    nothing_q <= {t4.exponent, t4.fraction} == 31'd0;
  end
  logic [255:0] value;
  always_ff @(posedge clk_i) valid_qq <= valid_q & rst_ni;
  always_ff @(posedge clk_i) begin
    malformed_qq <= malformed_q & {9{valid_q & rst_ni}};
    end_qq       <= {error | (final_q & user_q), error | final_q, below_q | {8{error}}};
  end
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire       lane_sent, sign;
    wire [2:0] shift;
    wire [7:0] m;
    assign {lane_sent, sign, shift, m} = lanes_q[13*i +: 13];
    wire        sent  = lane_sent & ~error;
    wire [31:0] level = means ? (sign ? second5 : t5) : {t5.sign ^ sign, t5.exponent, t5.fraction};
    gw_dequantizer_lane u_lane (
      .clk_i,
      .product_i (format5 == 3'd3),
      .sign_i    ((t5.sign ^ sign) & sent),
      .m_i       (m & {8{sent}}),
      .shift_i   (shift),
      .digits_i  (digits),
      .even_i    (even_q),
      .nothing_i (nothing_q),
      .six_i     (six_q),
      .ready_i   ((whole_q ? values_q[32*i +: 32] : level) & {32{sent}}),
      .value_o   (value[32*i +: 32])
    );
  end

  logic       queue_room;
  logic [7:0] lanes;
  gw_fifo #(.Width(266), .DepthLog2(5)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i (valid_qq),
    .s_ready_o (queue_room),
    .s_data_i  ({end_qq, value}),
    .m_valid_o (m_axis_tvalid),
    .m_ready_i (m_axis_tready),
    .m_data_o  ({m_axis_tuser, m_axis_tlast, lanes, m_axis_tdata})
  );
  for (genvar i = 0; i < 8; i++) begin : gen_keep
    assign m_axis_tkeep[4*i +: 4] = {4{lanes[i]}};
  end

  wire leaves = m_axis_tvalid & m_axis_tready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      queued_q      <= '0;
      error_count_o <= '0;
    end else begin
      queued_q <= queued_q + {5'd0, valid_qq} - {5'd0, leaves};
      if (leaves & m_axis_tlast & m_axis_tuser) error_count_o <= error_count_o + 32'd1;
    end
  end
  for (genvar i = 0; i < 9; i++) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (!rst_ni) malformed_count_o[32*i +: 32] <= '0;
      else if (malformed_qq[i]) malformed_count_o[32*i +: 32] <= malformed_count_o[32*i +: 32] + 32'd1;
    end
  end

  `GW_ASSERT(RoomForWhatIsEmitted, !valid_qq || queue_room)
  `GW_ASSERT(OneAtATime, !(plain_valid && rice_emit))
  `GW_ASSERT(OneReason, (malformed_qq & (malformed_qq - 9'd1)) == 9'd0)
  `GW_COVER(NotRoomy, !roomy)
  `GW_COVER(PacketInErrorLeaves, leaves && m_axis_tlast && m_axis_tuser)
endmodule

`default_nettype wire
