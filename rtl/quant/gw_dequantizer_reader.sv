// Goes from token to token: where the next one is, which beats it leaves after, when the packet is over. What
// a token holds and whether it is good is for those after it to see. Of Rice packets a token is a word.
// A token a cycle; the loop is place -> what a group takes there -> place.
// docs/devices/dequantizer.md, packets, plain, drain, fetch.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_reader (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        roomy_i,
  input  wire logic [2:0]  held_i,
  input  wire logic [2:0]  last_i,
  input  wire logic [8:0]  group_i,
  input  wire logic        zero_i,
  input  wire logic [7:0]  second_i,    // the byte after the place
  input  wire logic [2:0]  format_i,
  input  wire logic        rice_i,
  input  wire logic        empty_i,
  input  wire logic        single_i,
  input  wire logic        mask_i,
  input  wire logic [8:0]  fixed_i,     // of the packet's first token, were it no mask: as group_i
  input  wire logic [16:0] beat_i,
  input  wire logic [2:0]  tail_i,      // n mod 8
  input  wire logic        hall_i,      // there is room for a word
  input  wire logic        over_i,      // the Rice packet's last beat was emitted in the cycle before
  output logic [2:0]       read_o,
  output logic [2:0]       two_o,       // after it
  output logic [2:0]       three_o,
  output logic [4:0]       byte_o,
  output logic             word_o,      // a word is fetched
  output logic [3:0]       words_o,     // Rice: which of its beat's words is at the place, one hot
  output logic             further_o,   // the fourth, and the packet goes on after it
  output logic             token_o,     // a token is read; of it:
  output logic             first_o,
  output logic             final_o,
  output logic             runs_o,      // a run goes on
  output logic             opens_o,     // MX: its block's scale is in front
  output logic [8:0]       groups_o,    // tokens after it: 8 bits, and more than that
  output logic [6:0]       finish_o     // bytes up to its end
);
  logic        first_q, final_q, drain_q, fetched_q;
  logic [16:0] left_q;
  logic [7:0]  run_q;
  logic [1:0]  beat_q;   // within its block
  logic [8:0]  fixed_q;
  wire raw    = format_i == 3'd0;
  wire mx     = format_i[2] & format_i[1];
  wire words  = rice_i & ~empty_i;
  wire [2:0] held = held_i;
  wire some   = held != 3'd0;
  wire two    = held[2] | held[1];
  wire three  = held[2] | (held[1] & held[0]);
  wire drains = drain_q | over_i;
  wire last_one   = last_i[0];
  wire last_two   = last_i[1] & two;
  wire last_three = last_i[2] & three;

  wire        runs    = run_q != 8'd0 & ~first_q;   // of a packet that is over a run may be left
  // What does not hang on bytes.
  wire [16:0] left  = first_q ? beat_i : left_q;
  wire [1:0]  in_block = beat_q & {2{~first_q}};
  assign final_o = first_q ? single_i : final_q;
  assign first_o = first_q;
  assign runs_o  = runs;
  assign opens_o = in_block == 2'd0;
  assign groups_o = {left[16:8] != 9'd0, left[7:0]};
  // The token after this one, unless it is a mask: of masks it is 0, for it counts in a run alone.
  wire       final_next = left == 17'd1;
  wire [1:0] place_next = in_block + 2'd1;
  wire [2:0] beats  = final_next ? 3'd4 - {1'b0, place_next} : 3'd1;
  wire [5:0] block  = format_i[0] ? {1'b0, beats, 2'd0} : {beats, 3'd0};
  wire [5:0] values = final_next & tail_i != 3'd0 ? {1'b0, tail_i, 2'd0} : 6'd32;
  wire [5:0] length_next = mask_i ? 6'd0 : raw ? values : mx ? block | {5'd0, place_next == 2'd0} : 6'd1;
  wire [8:0] fixed  = first_q ? (empty_i ? 9'd16 : fixed_i) : runs ? {1'b0, &byte_o, 2'd0, byte_o} : fixed_q;
  wire [6:0] fixed_next = {2'd0, fixed[4:0]} + {1'b0, length_next};

  wire by_table = mask_i & ~runs & ~empty_i;
  assign finish_o = by_table ? group_i[6:0] : fixed[6:0];
  wire in_one_more = two | last_one;
  wire in_two_more = three | last_one | last_two;
  wire fixed_whole = (~fixed[7] | in_one_more) & (~fixed[8] | in_two_more);
  wire may    = some & roomy_i & ~drains & ~words;
  wire may_group = may & by_table;
  wire is_fixed  = may & ~by_table & fixed_whole;
  assign token_o = is_fixed | (may_group & (~group_i[7] | in_one_more) & (~group_i[8] | in_two_more));

  wire       at_end = byte_o[4:3] == 2'd3;
  assign word_o  = words & some & ~drains & ~fetched_q & hall_i & (~byte_o[4] | two | last_one);
  // Beats that are left; a packet that is over leaves nothing of itself but what is drained. Each case is
  // there before it is known whether the token ends in its beat, the next, or the one after it.
  wire       plain  = ~drains & ~words;
  wire       whole  = drains ? some : at_end & ~last_one;   // what leaves, if no token is read
  wire [2:0] over_at = {last_one | last_two | (last_three & final_o), last_one | (last_two & final_o),
                        last_one & final_o};
  wire [1:0] leaving_none = plain ? {1'b0, final_o} : {1'b0, whole};
  wire [1:0] leaving_one  = ~plain ? {1'b0, whole} : ~last_one & final_o ? 2'd2 : 2'd1;
  wire [1:0] leaving_two  = ~plain ? {1'b0, whole} : last_one ? 2'd1 : ~last_two & final_o ? 2'd3 : 2'd2;
  wire [1:0] passed  = finish_o[6:5];
  wire       over    = passed[1] ? over_at[2] : passed[0] ? over_at[1] : over_at[0];
  wire       ends    = final_o | over;
  wire [2:0] read_none = read_o + {1'b0, leaving_none};
  wire [2:0] read_one  = read_o + {1'b0, leaving_one};
  wire [2:0] read_two  = read_o + {1'b0, leaving_two};
  wire [2:0] read_next = passed[1] ? read_two : passed[0] ? read_one : read_none;
  wire [2:0] two_next  = passed[1] ? read_two + 3'd1 : passed[0] ? read_one + 3'd1 : read_none + 3'd1;
  wire [2:0] three_next = passed[1] ? read_two + 3'd2 : passed[0] ? read_one + 3'd2 : read_none + 3'd2;
  wire       turns     = token_o | word_o | drains;
  wire [7:0] run_next = ~mask_i ? 8'd0 : runs ? run_q - 8'd1 : second_i & {8{zero_i}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_o    <= '0;
      two_o     <= 3'd1;
      three_o   <= 3'd2;
      byte_o    <= 5'd16;
      first_q   <= 1'b1;
      drain_q   <= 1'b0;
      fetched_q <= 1'b0;
      words_o   <= 4'd4;
      further_o <= 1'b0;
      run_q     <= '0;
    end else begin
      if (turns) begin
        read_o    <= read_next;
        two_o     <= two_next;
        three_o   <= three_next;
        byte_o    <= plain & ~ends ? finish_o[4:0] : words & ~drains ? byte_o + 5'd8 : 5'd16;
        words_o   <= words & ~drains ? {words_o[2:0], words_o[3]} : 4'd4;
        first_q   <= drains | (plain ? ends : first_q);
        drain_q   <= drains ? ~(some & last_one) : plain & ends & ~over;
        fetched_q <= words & ~drains & at_end & last_one;
        further_o <= words & ~drains & words_o[2] & ~last_one;
      end
      if (token_o) run_q <= run_next;
    end
  end
  always_ff @(posedge clk_i) begin
    if (token_o) begin
      left_q   <= left - 17'd1;
      final_q  <= final_next;
      beat_q   <= place_next;
      fixed_q  <= {fixed_next >= 7'd63, fixed_next >= 7'd31, fixed_next};
    end
  end

  `GW_ASSERT(OnlyWhatIsHereLeaves, !token_o || read_next - read_o <= held)
  `GW_ASSERT(PlacesFollowOneAnother, two_o == read_o + 3'd1 && three_o == read_o + 3'd2)
  `GW_ASSERT(FurtherIsKnownAWordAhead, !word_o || further_o == (at_end && !last_one))
  `GW_ASSERT(WordsFollowThePlace, !word_o || words_o == 4'd1 << byte_o[4:3])
  `GW_ASSERT(NeverBothKinds, !(token_o && word_o))
  `GW_ASSERT(RiceIsOverWhileItIsRead, !over_i || (words && !drain_q))
  `GW_COVER(EmptyLastBeatDrains, token_o && final_o && !over)
  `GW_COVER(ThreeLeave, token_o && read_next - read_o == 3'd3)
  `GW_COVER(WaitsForTheThird, some && group_i[8] && !three && !token_o && may_group)
endmodule

`default_nettype wire
