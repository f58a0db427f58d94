// Burst Buffer: holds up to four bursts of the encoded stream, finds where each group ends, gives it out
// aligned.
// Latency 2 cycles (buffer, alignment), one group a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10 (there with two bursts: docs/devices/decompressor.md says why
// four).
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_burst_buffer (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [255:0] data_i,
  input  wire logic [31:0]  keep_i,
  input  wire logic         last_i,
  input  wire logic         user_i,
  input  wire logic [2:0]   ceiling_i,  // with a packet's first burst, for all of it
  input  wire logic         credit_i,  // there is room for a group
  // a group, or an error in place of one, is taken in this cycle; below: one later
  output logic              issue_o,
  output logic              valid_o,
  output logic [271:0]      group_o,   // bytes above its length belong to the next group
  output logic [2:0]        ceiling_o,
  output logic [4:0]        lower_size_o,  // payload bytes that the first half of the tag word announces
  output logic              last_o,
  output logic              user_o,    // the packet is in error; with last_o only
  output logic              broken_o   // no group: the packet ends within one
);
  // For each byte of a word: the payload bytes it announces, 0..16, should it be one of the two bytes of a
  // tag word.
  function automatic [63:0] announced(input [63:0] word);
    logic [63:0] hi, raw, half, one, pair0, pair1, pair2, pair3, carry1, carry2;
    hi     = word >> 1;
    raw    = hi & word;     // bit 2i: field i is RAW, 4 bytes
    half   = hi & ~word;    // 2 bytes
    one    = ~hi & word;    // 1 byte
    // Sum of two fields, bit by bit: each is of one class, so that a carry never meets a set bit.
    pair0  = one ^ (one >> 2);
    pair1  = (half ^ (half >> 2)) | (one & (one >> 2));
    pair2  = (raw ^ (raw >> 2)) | (half & (half >> 2));
    pair3  = raw & (raw >> 2);
    // Sum of two pairs.
    carry1 = pair0 & (pair0 >> 4);
    carry2 = (pair1 & (pair1 >> 4)) | (carry1 & (pair1 ^ (pair1 >> 4)));
    announced = ((pair0 ^ (pair0 >> 4)) & {8{8'h01}})
              | (((pair1 ^ (pair1 >> 4) ^ carry1) & {8{8'h01}}) << 1)
              | (((pair2 ^ (pair2 >> 4) ^ carry2) & {8{8'h01}}) << 2)
              | (((pair3 ^ (pair3 >> 4) ^ ((pair2 & (pair2 >> 4)) | (carry2 & (pair2 ^ (pair2 >> 4)))))
                  & {8{8'h01}}) << 3)
              | ((pair3 & (pair3 >> 4) & {8{8'h01}}) << 4);
  endfunction

  // For each byte of a word: the place of the group's last byte, should it be the second byte of a group's
  // tag word. That is its own place and what it and the byte before announce. Known on arrival, this leaves a
  // selection for the loop from one group's place to the next one's. Places are below 128: sums in bytes of a
  // word never carry into the next byte.
  function automatic [63:0] group_ends(input [63:0] sizes, input [63:0] sizes_before, input [63:0] places);
    logic [63:0] sum, carry, both, one, both2, one2, both4;
    sum   = sizes ^ sizes_before ^ places;
    carry = ((sizes & sizes_before) | (sizes & places) | (sizes_before & places)) << 1;
    // sum + carry, byte by byte, in a logarithm of steps: both generate a carry, one of them passes it on.
    both  = sum & carry;
    one   = sum ^ carry;
    both2 = both | (one & (both << 1));
    one2  = one & (one << 1);
    both4 = both2 | (one2 & (both2 << 2));
    group_ends = one ^ ((both4 | (one2 & (one2 << 2) & (both4 << 4))) << 1);
  endfunction

  // A burst's valid bytes end at the lowest zero of `keep`, which counts at the packet's end only: the last
  // one of them, a bit a byte, none if there is none.
  function automatic [31:0] final_byte(input [31:0] keep, input last);
    logic [31:0] kept, lowest_zero;
    kept        = keep | {32{~last}};
    lowest_zero = ~kept & (kept + 32'd1);
    final_byte  = {lowest_zero == 32'd0, lowest_zero[31:1]};
  endfunction

  // Which of 32 bits is set, and in front whether one is.
  function automatic [5:0] place_of(input [31:0] hot);
    place_of = {|hot, |(hot & 32'hFFFF_0000), |(hot & 32'hFF00_FF00), |(hot & 32'hF0F0_F0F0),
                |(hot & 32'hCCCC_CCCC),
                |(hot & 32'hAAAA_AAAA)};
  endfunction

  // Where the next group starts, and where the second byte of its tag word lies, one further: slot, byte.
  logic [6:0] start_q, tag_q;
  logic [2:0] held_q;  // slots
  wire  [1:0] slot  = start_q[6:5];
  wire  [4:0] start = start_q[4:0];
  wire  [1:0] free  = slot + held_q[1:0];

  logic [5:0] final_q [0:3];  // the last valid byte
  logic [5:0] inner_q [0:3];  // and the last one that a group may end with that is not its packet's last
  logic       last_q  [0:3];
  logic       user_q  [0:3];

  // A packet's ceiling lies beside each of its bursts: whichever is oldest when a group is issued, knows it.
  logic       first_q;
  logic [2:0] packet_ceiling_q;
  wire  [2:0] packet_ceiling = first_q ? ceiling_i : packet_ceiling_q;
  logic [2:0] slot_ceiling_q [0:3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (valid_i & ready_o) first_q <= last_i;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i & ready_o) packet_ceiling_q <= packet_ceiling;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i & ready_o) begin
      final_q[free] <= place_of(final_byte(keep_i, last_i));
      inner_q[free] <= place_of(final_byte(keep_i, last_i) >> last_i);
      last_q[free]  <= last_i;
      user_q[free]  <= user_i;
      slot_ceiling_q[free] <= packet_ceiling;
    end
  end

  // Window: the three oldest slots, up to and with the first that ends a packet.
  wire [1:0] second = slot + 2'd1;
  wire [1:0] third  = slot + 2'd2;
  wire has_one   = held_q != 3'd0;
  wire has_two   = held_q[2] | held_q[1];
  wire has_three = held_q[2] | (held_q[1] & held_q[0]);
  wire end_one   = has_one & last_q[slot];
  wire end_two   = has_two & last_q[second];
  wire end_three = has_three & last_q[third];
  wire ended     = end_one | end_two | end_three;
  wire reach_two   = has_two & ~end_one;
  wire reach_three = has_three & ~end_one & ~end_two;
  wire [1:0] passed     = {reach_three, reach_two & ~reach_three};  // slots before the window's final one
  wire [1:0] final_slot = slot + passed;

  wire [3:0] at_word   = {start[4:3] == 2'd3, start[4:3] == 2'd2, start[4:3] == 2'd1, start[4:3] == 2'd0};
  wire [3:0] past_word = {1'b0, start[4:3] == 2'd3, start[4], start[4:3] != 2'd0};

  // The last byte of the burst before.
  logic [7:0] byte_before_q;
  wire [255:0] one_late = {data_i[247:0], byte_before_q};
  always_ff @(posedge clk_i) if (valid_i & ready_o) byte_before_q <= data_i[255:248];

  wire [63:0] sizes_word [0:3];
  wire [63:0] ends_word  [0:3];
  wire [63:0] near       [0:3];  // bank j's first word from the start on
  wire [63:0] far        [0:3];  // the one after
  for (genvar j = 0; j < 4; j++) begin : gen_bank
    // Word j of each slot, what its bytes announce, and where groups end whose tag word ends in it. Places
    // count from the slot in which the group starts: the one before, if the tag word ends in a burst's first
    // byte.
    localparam logic [63:0] Places = 64'h0706_0504_0302_0100 + {8{8'(8*j)}} + (j == 0 ? 64'd32 : 64'd0);
    (* ram_style = "distributed" *) logic [63:0] word_q  [0:3];
    (* ram_style = "distributed" *) logic [63:0] sizes_q [0:3];
    (* ram_style = "distributed" *) logic [63:0] ends_q  [0:3];
    // One branch around all of it: a simulator then works it out for bursts that come, and for nothing else.
    always_ff @(posedge clk_i) begin
      if (valid_i & ready_o) begin
        word_q[free]  <= data_i[64*j +: 64];
        sizes_q[free] <= announced(data_i[64*j +: 64]);
        ends_q[free]  <= group_ends(announced(data_i[64*j +: 64]), announced(one_late[64*j +: 64]), Places);
      end
    end

    wire [1:0] near_slot = slot + {1'b0, past_word[j]};
    wire [1:0] far_slot  = near_slot + 2'd1;
    assign near[j]      = word_q[near_slot];
    assign far[j]       = word_q[far_slot];
    assign sizes_word[j] = sizes_q[slot];
    assign ends_word[j] = ends_q[tag_q[6:5]];
  end
  wire [63:0] lower_sizes =
      gw_codec_pkg::one_of(sizes_word[0], sizes_word[1], sizes_word[2], sizes_word[3], start[4:3]);
  wire [63:0] ends_words = gw_codec_pkg::one_of(ends_word[0], ends_word[1], ends_word[2], ends_word[3],
                                                tag_q[4:3]);
  wire [6:0]  ends       = ends_words[{tag_q[2:0], 3'b000} +: 7];
  wire [1:0]  end_slot   = ends[6:5];  // counted from `slot`
  wire [4:0]  end_byte   = ends[4:0];

  // The packet goes on after the group if that ends in a slot of the window's and no later than may be: all
  // three slots are asked at once. Else the group may be in to its last byte, and the packet's last.
  wire [5:0] inner_one   = inner_q[slot];
  wire [5:0] inner_two   = inner_q[second];
  wire [5:0] inner_three = inner_q[third];
  wire [5:0] final_one   = final_q[slot];
  wire [5:0] final_two   = final_q[second];
  wire [5:0] final_three = final_q[third];
  wire in_one   = has_one & tag_q[4:0] != 5'd0;
  wire goes_on  = (end_slot == 2'd0 & in_one & inner_one[5] & end_byte <= inner_one[4:0])
                | (end_slot == 2'd1 & reach_two & inner_two[5] & end_byte <= inner_two[4:0])
                | (end_slot == 2'd2 & reach_three & inner_three[5] & end_byte <= inner_three[4:0]);
  wire exact    = (end_slot == 2'd0 & in_one & final_one[5] & end_byte == final_one[4:0])
                | (end_slot == 2'd1 & reach_two & final_two[5] & end_byte == final_two[4:0])
                | (end_slot == 2'd2 & reach_three & final_three[5] & end_byte == final_three[4:0]);
  // What is issued: a group with more of its packet after it, or the packet's end. An empty burst ends no
  // group: the error leaves on its own, whether or not the burst was here in time.
  wire issue_group = credit_i & goes_on;
  wire issue_end   = credit_i & ended & ~goes_on;
  assign issue_o = credit_i & (goes_on | ended);

  // The next group's start is one byte further, its tag word's second byte two.
  wire       end_in_next     = &end_byte;
  wire       end_tag_in_next = &end_byte[4:1];
  wire [6:0] group_end     = {slot + end_slot + {1'b0, end_in_next}, end_byte + 5'd1};
  wire [6:0] group_end_tag = {slot + end_slot + {1'b0, end_tag_in_next}, end_byte + 5'd2};
  wire [1:0] slots_passed  = end_slot + {1'b0, end_in_next};
  wire [2:0] accepted      = {2'd0, valid_i & ready_o};
  wire [2:0] held_group    = held_q + accepted - {1'b0, slots_passed};
  wire [2:0] held_end      = held_q + accepted - {1'b0, passed} - 3'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= '0;
      tag_q   <= 7'd1;
      held_q  <= '0;
      ready_o <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      start_q <= (group_end & {7{issue_group}}) | ({final_slot + 2'd1, 5'd0} & {7{issue_end}})
                 | (start_q & {7{~issue_o}});
      tag_q   <= (group_end_tag & {7{issue_group}}) | ({final_slot + 2'd1, 5'd1} & {7{issue_end}})
                 | (tag_q & {7{~issue_o}});
      held_q  <= issue_group ? held_group : issue_end ? held_end : held_q + accepted;
      ready_o <= (issue_group & slots_passed != 2'd0) | issue_end | held_q < 3'd3
                 | (held_q == 3'd3 & ~valid_i);
      valid_o <= issue_o;
    end
  end

  // Alignment: 34 bytes from the start on, out of six words.
  wire [2:0]  bytes = start[2:0];
  wire [63:0] window [0:5];
  for (genvar i = 0; i < 4; i++) begin : gen_window
    assign window[i] = (near[i] & {64{at_word[0]}}) | (near[(i + 1) % 4] & {64{at_word[1]}}) |
                       (near[(i + 2) % 4] & {64{at_word[2]}}) | (near[(i + 3) % 4] & {64{at_word[3]}});
  end
  for (genvar i = 0; i < 2; i++) begin : gen_window_end
    assign window[i + 4] = (far[i] & {64{at_word[0]}}) | (far[i + 1] & {64{at_word[1]}}) |
                           (far[i + 2] & {64{at_word[2]}}) | (far[(i + 3) % 4] & {64{at_word[3]}});
  end
  wire [63:0] aligned [0:4];
  for (genvar i = 0; i < 5; i++) begin : gen_aligned
    assign aligned[i] = gw_codec_pkg::stay_down(window[i], bytes)
                        | gw_codec_pkg::spill_down(window[i + 1], bytes);
  end

  always_ff @(posedge clk_i) begin
    group_o  <= {aligned[4][15:0], aligned[3], aligned[2], aligned[1], aligned[0]};
    ceiling_o <= slot_ceiling_q[slot];
    lower_size_o <= lower_sizes[{start[2:0], 3'b000} +: 5];
    last_o   <= ~goes_on;
    user_o   <= ~goes_on & (~exact | user_q[final_slot]);
    broken_o <= ~goes_on & ~exact;
  end

  `GW_COVER(BufferFull, held_q == 3'd4)
  `GW_COVER(WaitsForCredit, !credit_i && (goes_on || ended))
  `GW_COVER(WaitsForBytes, credit_i && has_one && !goes_on && !ended)
  `GW_COVER(GroupInThreeBursts, issue_o && (goes_on || exact) && end_slot == 2'd2)
  `GW_COVER(TagWordInTwoBursts, issue_o && (goes_on || exact) && start == 5'd31)
  `GW_COVER(GroupEndsWithItsBurst, issue_group && end_in_next)
  `GW_COVER(PacketEndsWithItsBurst, issue_end && exact && end_in_next)
  `GW_COVER(PacketEndsInGroup, issue_end && !exact && final_q[final_slot][5])
  `GW_COVER(PacketEndsWithEmptyBurst, issue_end && !exact && !final_q[final_slot][5])
  `GW_COVER(PacketBehindPacket, issue_end && held_q > {1'b0, passed} + 3'd1)
endmodule

`default_nettype wire
