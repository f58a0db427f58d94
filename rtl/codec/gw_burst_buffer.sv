// Burst Buffer: holds up to four bursts of the encoded stream, finds where each group ends, gives it out aligned.
// Latency 2 cycles (buffer, alignment), one group a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10 (there with two bursts: docs/devices/decompressor.md says why four).
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
  output logic              issue_o,   // a group, or an error in place of one, is taken in this cycle; below: one later
  output logic              valid_o,
  output logic [271:0]      group_o,   // bytes above its length belong to the next group
  output logic [2:0]        ceiling_o,
  output logic [4:0]        lower_size_o,  // payload bytes that the first half of the tag word announces
  output logic              last_o,
  output logic              user_o,    // the packet is in error; with last_o only
  output logic              broken_o   // no group: the packet ends within one
);
  // For each byte of a word: the payload bytes it announces, 0..16, should it be one of the two bytes of a tag word.
  // Known on arrival, this leaves a selection and a sum for the loop from one group's position to the next one's.
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
              | (((pair3 ^ (pair3 >> 4) ^ ((pair2 & (pair2 >> 4)) | (carry2 & (pair2 ^ (pair2 >> 4))))) & {8{8'h01}}) << 3)
              | ((pair3 & (pair3 >> 4) & {8{8'h01}}) << 4);
  endfunction

  // A burst's valid bytes end at the lowest zero of `keep`, which counts at the packet's end only.
  function automatic [5:0] filled(input [31:0] keep, input last);
    logic [31:0] kept, lowest_zero;
    kept        = keep | {32{~last}};
    lowest_zero = ~kept & (kept + 32'd1);
    filled = {lowest_zero == 32'd0, |(lowest_zero & 32'hFFFF_0000), |(lowest_zero & 32'hFF00_FF00),
              |(lowest_zero & 32'hF0F0_F0F0), |(lowest_zero & 32'hCCCC_CCCC), |(lowest_zero & 32'hAAAA_AAAA)};
  endfunction

  // Where the next group starts: slot, byte. Of its two tag bytes one lies at an odd place, start_q or the one after, and
  // one at an even place: even_q is that place's slot and its number among the slot's 16 even ones.
  logic [6:0] start_q;
  logic [5:0] even_q;
  logic [2:0] held_q;  // slots
  wire  [1:0] slot  = start_q[6:5];
  wire  [4:0] start = start_q[4:0];
  wire  [1:0] free  = slot + held_q[1:0];

  logic [5:0] filled_q [0:3];
  logic       last_q   [0:3];
  logic       user_q   [0:3];

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
    if (ready_o) begin
      filled_q[free] <= filled(keep_i, last_i);
      last_q[free]   <= last_i;
      user_q[free]   <= user_i;
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
  wire [6:0] limit      = {passed, 5'd0} + {1'b0, filled_q[final_slot] & {6{has_one}}};
  wire [7:0] room       = {1'b0, limit} - {3'd0, start} - 8'd2;  // for payload; less than 0: not even for the tags

  // The group's length. The sum does not care which of the tag bytes comes first: select each among 16.
  wire [3:0] at_word   = {start[4:3] == 2'd3, start[4:3] == 2'd2, start[4:3] == 2'd1, start[4:3] == 2'd0};
  wire [3:0] past_word = {1'b0, start[4:3] == 2'd3, start[4], start[4:3] != 2'd0};

  wire [63:0] odd_word  [0:3];
  wire [63:0] even_word [0:3];
  wire [63:0] near      [0:3];  // bank j's first word from the start on
  wire [63:0] far       [0:3];  // the one after
  for (genvar j = 0; j < 4; j++) begin : gen_bank
    // Word j of each slot, and what its bytes announce.
    (* ram_style = "distributed" *) logic [63:0] word_q  [0:3];
    (* ram_style = "distributed" *) logic [63:0] sizes_q [0:3];
    always_ff @(posedge clk_i) begin
      if (ready_o) begin
        word_q[free]  <= data_i[64*j +: 64];
        sizes_q[free] <= announced(data_i[64*j +: 64]);
      end
    end

    wire [1:0] near_slot = slot + {1'b0, past_word[j]};
    wire [1:0] far_slot  = near_slot + 2'd1;
    assign near[j]      = word_q[near_slot];
    assign far[j]       = word_q[far_slot];
    assign odd_word[j]  = sizes_q[slot];
    assign even_word[j] = sizes_q[even_q[5:4]];
  end
  wire [63:0] odd_sizes  = gw_codec_pkg::one_of(odd_word[0], odd_word[1], odd_word[2], odd_word[3], start[4:3]);
  wire [63:0] even_sizes = gw_codec_pkg::one_of(even_word[0], even_word[1], even_word[2], even_word[3], even_q[3:2]);
  wire [4:0]  odd_size   = odd_sizes[{start[2:1], 4'b1000} +: 5];
  wire [4:0]  even_size  = even_sizes[{even_q[1:0], 4'b0000} +: 5];

  // Issue. Each sum starts from what is known early, the selected sizes come last.
  wire [7:0] spare       = room - {3'd0, odd_size} - {3'd0, even_size};
  wire       fits        = ~room[7] & ~spare[7];
  // An empty burst ends no group: the error leaves on its own, whether or not the burst was here in time.
  wire       final_group = ended & (~fits | (spare == 8'd0 & filled_q[final_slot] != 6'd0));
  assign issue_o = credit_i & (fits | ended);

  // Where the group ends: slot and byte; and counted from its first slot. The next even place is half of one byte more.
  wire [6:0] tags_end      = start_q + 7'd2;
  wire [6:0] tags_end_even = start_q + 7'd3;
  wire [6:0] group_end     = tags_end + {2'd0, odd_size} + {2'd0, even_size};
  wire [5:0] group_end_even = 6'((tags_end_even + {2'd0, odd_size} + {2'd0, even_size}) >> 1);
  wire [1:0] slots_passed  = 2'(({2'd0, start} + 7'd2 + {2'd0, odd_size} + {2'd0, even_size}) >> 5);
  wire [2:0] held_after = final_group ? held_q - {1'b0, passed} - 3'd1 : held_q - {1'b0, slots_passed};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= '0;
      even_q  <= '0;
      held_q  <= '0;
      ready_o <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (issue_o) begin
        start_q <= final_group ? {final_slot + 2'd1, 5'd0} : group_end;
        even_q  <= final_group ? {final_slot + 2'd1, 4'd0} : group_end_even;
      end
      held_q  <= (issue_o ? held_after : held_q) + {2'd0, valid_i & ready_o};
      ready_o <= (issue_o & (final_group | slots_passed != 2'd0)) | held_q < 3'd3 | (held_q == 3'd3 & ~valid_i);
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
    assign aligned[i] = gw_codec_pkg::stay_down(window[i], bytes) | gw_codec_pkg::spill_down(window[i + 1], bytes);
  end

  always_ff @(posedge clk_i) begin
    group_o  <= {aligned[4][15:0], aligned[3], aligned[2], aligned[1], aligned[0]};
    ceiling_o <= slot_ceiling_q[slot];
    lower_size_o <= start[0] ? odd_size : even_size;
    last_o   <= final_group;
    user_o   <= ~fits | (final_group & user_q[final_slot]);
    broken_o <= ~fits;
  end
endmodule

`default_nettype wire
