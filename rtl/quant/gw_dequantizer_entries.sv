// Rice: what was found in steps becomes entries in their beats, and finished beats leave one a cycle.
// Two codes a cycle; what a step found is delivered in the second cycle, and its first beat emitted in that
// one.
// docs/devices/dequantizer.md, delivery.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_entries (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         clear_i,
  input  wire logic         roomy_i,
  input  wire logic [19:0]  n_i,
  input  wire logic [3:0]   k_i,
  input  wire logic [4:0]   fixed_i,
  input  wire logic         qgt_i,
  input  wire logic [2:0]   zeros_i,     // in front of T's digits
  input  wire logic         step_i,
  input  wire logic         pair_i,
  input  wire logic [3:0]   ones_one_i,
  input  wire logic [3:0]   ones_both_i,
  input  wire logic [3:0]   ones_two_i,
  input  wire logic [31:0]  one_i,       // shift_one_i on the code's bits after its ones
  input  wire logic [25:0]  two_i,
  input  wire logic [1:0]   shift_one_i,
  input  wire logic [1:0]   shift_two_i,
  input  wire logic [4:0]   rest_one_i,  // k and that: sign and m
  input  wire logic [4:0]   rest_two_i,
  input  wire logic [5:0]   place_i,
  input  wire logic [6:0]   bytes_i,
  input  wire logic [1:0]   status_i,
  output logic              room_o,      // for what a step finds
  output logic              emit_o,      // combinational
  // of what is emitted: 1 the last beat, error beats: 2 payload, 3 status
  output logic [1:0]        kind_o,
  output logic              user_o,      // of the last beat
  output logic [103:0]      lanes_o,     // each: sent, sign, m shifted by 3, m 8
  output logic              over_o
);
  // Gaps and where they lead: counted from the index after the entry before, and from the eighth value after
  // its beat's first.
  logic [3:0]  k_q, base_q;   // base: values of the due beat up to the entry before
  logic        qgt_q;
  logic [21:0] left_q;        // n less the index after the entry before
  always_ff @(posedge clk_i) begin
    k_q     <= k_i;
    qgt_q   <= qgt_i;
  end
  wire        long_form = ones_one_i == 4'd15;
  logic [13:0] low;
  always_ff @(posedge clk_i) low <= ~(14'h3FFF << k_i);
  wire [17:0] high_one = {14'd0, ones_one_i} << k_q;
  wire [17:0] high_two = {14'd0, ones_two_i} << k_q;
  wire [31:0] code_one = one_i >> shift_one_i;
  wire [25:0] code_two = two_i >> shift_two_i;
  wire [19:0] gap_one  = long_form ? code_one[19:0] : {2'd0, high_one} | {6'd0, code_one[13:0] & low};
  wire [17:0] gap_two  = high_two | {4'd0, code_two[13:0] & low};
  wire [25:0] rest_one = one_i[25:0] >> rest_one_i;
  wire [25:0] rest_two = two_i >> rest_two_i;
  wire unused_rest = ^{code_one[31:29], code_two[25:14], rest_one[25:9], rest_two[25:9]};
  wire [8:0]  behind_one = long_form ? code_one[28:20] : rest_one[8:0];
  wire [8:0]  behind_two = rest_two[8:0];

  wire [21:0] to_one   = {2'd0, gap_one} + {{19{~base_q[3]}}, base_q[2:0]};
  wire [20:0] end_one  = {1'b0, gap_one} + {17'd0, base_q} - 21'd1;
  wire [2:0]  lane_one = gap_one[2:0] + base_q[2:0];
  wire [19:0] to_two   = {2'd0, gap_two} + {17'h1FFFF, lane_one} + 20'd1;
  wire [18:0] end_two  = {1'b0, gap_two} + {16'd0, lane_one};
  wire [2:0]  lane_two = gap_two[2:0] + lane_one + 3'd1;
  wire [2:0]  lane     = pair_i ? lane_two : lane_one;
  wire [21:0] left_one = left_q + {2'b11, ~gap_one};
  wire [21:0] left_two = left_q + {2'b11, ~gap_one} + {4'hF, ~gap_two};

  // Whether they lead to n, without a sum: each bit of it shows which carry it would have needed.
  wire to_n_one = left_q[21:20] == 2'd0 & left_q[19:0] == gap_one;
  wire [20:0] gap_x    = {1'b0, gap_one};
  wire [20:0] gap_y    = {3'd0, gap_two};
  wire [20:0] sum_bits = gap_x ^ gap_y ^ left_q[20:0];
  wire [20:0] carries  = (gap_x & gap_y) | ((gap_x | gap_y) & ~left_q[20:0]);
  wire to_n_two = ~left_q[21] & sum_bits == {carries[19:0], 1'b1} & ~carries[20];

  // Bytes of the word that are begun, up to the gap's end and the code's.
  logic [7:0] gap_one_fixed_q, code_one_fixed_q, gap_two_fixed_q, code_two_fixed_q;
  always_ff @(posedge clk_i) begin
    gap_one_fixed_q  <= {4'd0, k_i} + 8'd8;
    code_one_fixed_q <= {3'd0, fixed_i} + 8'd7;
    gap_two_fixed_q  <= {3'd0, fixed_i} + {4'd0, k_i} + 8'd8;
    code_two_fixed_q <= {2'd0, fixed_i, 1'b0} + 8'd7;
  end
  wire [7:0] at_one = {2'd0, place_i} + {4'd0, ones_one_i};
  wire [7:0] at_two = {2'd0, place_i} + {4'd0, ones_both_i};
  wire [7:0] gap_one_end  = at_one + (long_form ? 8'd27 : gap_one_fixed_q);
  wire [7:0] code_one_end = at_one + (long_form ? (qgt_q ? 8'd36 : 8'd28) : code_one_fixed_q);
  wire [7:0] code_two_end = at_two + code_two_fixed_q;
  wire [7:0] gap_two_end  = at_two + gap_two_fixed_q;
  wire unused_ends = ^{gap_one_end[2:0], code_one_end[2:0], code_two_end[2:0], gap_two_end[2:0]};
  wire [6:0] before_gap_one = {2'd0, gap_one_end[7:3]};
  wire [6:0] before_gap_two = {2'd0, gap_two_end[7:3]};

  logic        found_q, pair_q, user_q, wrong_q;
  logic [18:0] to_one_q;
  logic [17:0] end_one_q;
  logic [16:0] to_two_q;
  logic [15:0] end_two_q;
  logic [2:0]  lane_one_q, lane_two_q;
  logic        below_one_q, below_two_q;   // n
  logic [11:0] entry_one_q, entry_two_q;   // sign, shift 3, m 8
  logic        none_one_q, none_two_q;
  logic        to_n_one_q, to_n_two_q, in_one, in_two, fits_one, fits_two, whole_one, whole_two;
  wire [2:0] shift_one, shift_two;
  gw_dequantizer_shift u_shift_one (.m_i(behind_one[8:2]), .zeros_i, .shift_o(shift_one));
  gw_dequantizer_shift u_shift_two (.m_i(behind_two[8:2]), .zeros_i, .shift_o(shift_two));
  always_ff @(posedge clk_i) begin
    pair_q      <= pair_i;
    to_one_q    <= to_one[21:3];
    end_one_q   <= end_one[20:3];
    to_two_q    <= to_two[19:3];
    end_two_q   <= end_two[18:3];
    lane_one_q  <= lane_one;
    lane_two_q  <= lane_two;
    below_one_q <= ~left_one[21];
    below_two_q <= ~left_two[21];
    entry_one_q <= {behind_one[0], shift_one, behind_one[8:1]};
    entry_two_q <= {behind_two[0], shift_two, behind_two[8:1]};
    none_one_q  <= qgt_q & behind_one[8:1] == 8'd0;
    none_two_q  <= qgt_q & behind_two[8:1] == 8'd0;
    to_n_one_q  <= to_n_one;
    to_n_two_q  <= to_n_two;
    in_one      <= {2'd0, code_one_end[7:3]} < bytes_i;
    in_two      <= {2'd0, code_two_end[7:3]} < bytes_i;
    fits_one    <= before_gap_one < bytes_i;
    fits_two    <= before_gap_two < bytes_i;
    whole_one   <= before_gap_one + 7'd1 == bytes_i;
    whole_two   <= before_gap_two + 7'd1 == bytes_i;
    {wrong_q, user_q} <= status_i;
  end
  wire unused_low = ^{to_one[2:0], end_one[2:0], to_two[2:0], end_two[2:0]};
  logic fresh_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni | clear_i) begin
      found_q <= 1'b0;
      fresh_q <= 1'b1;
      base_q  <= '0;
    end else begin
      found_q <= step_i;
      fresh_q <= fresh_q & ~step_i;
      if (step_i) base_q <= {1'b0, lane} + 4'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step_i) left_q <= pair_i ? left_two : left_one;
    else if (fresh_q) left_q <= {2'd0, n_i};
  end

  // Delivery.
  logic dead_q;
  wire live      = found_q & ~dead_q;
  wire entry_one = below_one_q & in_one & ~none_one_q;
  wire stop_one  = to_n_one_q & fits_one;
  wire second    = pair_q & entry_one;
  wire entry_two = below_two_q & in_two & ~none_two_q;
  wire stop_two  = to_n_two_q & fits_two;
  wire [1:0] kind_one = {~(stop_one & whole_one) | wrong_q, stop_one & whole_one};
  wire [1:0] kind_two = {~(stop_two & whole_two) | wrong_q, stop_two & whole_two};
  wire new_one = ~to_one_q[18];
  wire new_two = second & (~entry_two | ~to_two_q[16]);
  wire deliver = live & (~entry_one | new_one | new_two);
  wire [16:0] count_two = entry_two ? {1'b0, to_two_q[15:0]} : stop_two ? {1'b0, end_two_q} : 17'd0;
  wire [1:0]  last_two  = entry_two ? 2'd0 : kind_two;
  wire [16:0] count_one = entry_one ? to_one_q[16:0] : stop_one ? end_one_q[16:0] : 17'd0;
  wire unused_counts = ^{to_one_q[17], end_one_q[17]};
  wire first_is_one = ~entry_one | new_one;

  logic [103:0] lanes_q;
  wire  [103:0] lanes_one, lanes_two;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    assign lanes_one[13*i +: 13] = {1'b1, entry_one_q} & {13{lane_one_q == i}};
    assign lanes_two[13*i +: 13] = {1'b1, entry_two_q} & {13{lane_two_q == i}};
  end
  wire [103:0] with_one = lanes_q | lanes_one;
  always_ff @(posedge clk_i) begin
    if (!rst_ni | clear_i) begin
      dead_q  <= 1'b0;
      lanes_q <= '0;
    end else if (live) begin
      dead_q  <= ~entry_one | (second & ~entry_two);
      lanes_q <= (new_two ? 104'd0 : new_one ? lanes_one : with_one) | (lanes_two & {104{second}});
    end
  end

  // An item is a run of beats; with `more` there is another run after it, which begins with one entry.
  localparam int ItemBits = 1 + 3 + 12 + 17 + 2 + 1 + 104 + 17 + 2;
  typedef struct packed {
    logic         user;
    logic [2:0]   next_lane;   // of the other run: where its entry stands, the entry, as below
    logic [11:0]  next_entry;
    logic [16:0]  next_count;
    logic [1:0]   next_kind;
    logic         more;
    logic [103:0] lanes;       // of the first beat
    logic [16:0]  count;       // beats less one
    logic [1:0]   kind;        // what the last of them is
  } item_t;
  wire more = entry_one & new_one & new_two;
  item_t item, item_q, now;
  assign item = {user_q, lane_one_q, entry_one_q, count_two, last_two, more,
                 first_is_one ? lanes_q : with_one,
                 first_is_one ? count_one : count_two, ~first_is_one ? last_two : entry_one ? 2'd0
                   : kind_one};
  logic item_valid_q;
  assign now = item_valid_q ? item_q : item;
  // Whether each candidate for the count is 0 is known beside the choice.
  wire zero_two = entry_two ? to_two_q[15:0] == 16'd0 : ~stop_two | end_two_q == 16'd0;
  wire zero_one = entry_one ? to_one_q[16:0] == 17'd0 : ~stop_one | end_one_q[16:0] == 17'd0;
  wire new_last = first_is_one ? zero_one : zero_two;
  wire old_last = item_q.count == 17'd0;
  wire at_last  = item_valid_q ? old_last : new_last;
  wire [103:0] more_of_old, more_of_new;
  for (genvar i = 0; i < 8; i++) begin : gen_more
    assign more_of_old[13*i +: 13] = {1'b1, item_q.next_entry} & {13{item_q.next_lane == i}};
    assign more_of_new[13*i +: 13] = {1'b1, entry_one_q} & {13{lane_one_q == i}};
  end
  assign emit_o  = (item_valid_q | deliver) & roomy_i;
  assign kind_o  = now.kind & {2{at_last}};
  assign user_o  = now.user;
  assign lanes_o = now.lanes;
  assign over_o  = emit_o & kind_o != 2'd0;
  wire item_done = roomy_i & old_last & ~item_q.more;  // of the one that is there
  wire done      = emit_o & at_last & ~now.more;

  // The others. Written in every cycle, and kept if it is to be: so nothing that is known late enables it.
  logic [4:0] write_q, read_q;
  (* ram_style = "distributed" *) logic [ItemBits-1:0] list_q [0:31];
  wire waiting = write_q != read_q;
  item_t head;
  assign head = list_q[read_q];
  wire keeps = deliver & item_valid_q & (~item_done | waiting);
  wire takes = item_valid_q & item_done & waiting;
  always_ff @(posedge clk_i) list_q[write_q] <= item;
  always_ff @(posedge clk_i) begin
    if (!rst_ni | clear_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      write_q <= write_q + {4'd0, keeps};
      read_q  <= read_q + {4'd0, takes};
    end
  end
  logic [5:0] items_q;
  assign room_o = ~(items_q[5] | (items_q[4] & items_q[3]));
  always_ff @(posedge clk_i) begin
    if (!rst_ni | clear_i) begin
      item_valid_q <= 1'b0;
      items_q      <= '0;
    end else begin
      item_valid_q <= item_valid_q ? ~item_done | waiting | deliver : deliver & ~done;
      items_q      <= items_q + {5'd0, deliver} - {5'd0, done};
    end
  end
  wire from_list = item_valid_q & item_done & waiting;
  wire from_new  = item_valid_q ? item_done & ~waiting : ~roomy_i;
  wire stays     = item_valid_q & ~roomy_i;
  wire next_old  = item_valid_q & roomy_i & old_last;   // and not done, or from_list or from_new
  wire next_new  = ~item_valid_q & roomy_i & new_last;
  always_ff @(posedge clk_i) begin
    item_q       <= from_list ? head : from_new ? item : now;
    item_q.lanes <= (head.lanes & {104{from_list}}) | (item.lanes & {104{from_new}})
                    | (item_q.lanes & {104{stays}})
                    | (more_of_old & {104{next_old & ~item_done}}) | (more_of_new & {104{next_new}});
    item_q.more  <= from_list ? head.more : from_new ? item.more : now.more & (stays | ~at_last);
    item_q.count <= from_list ? head.count : from_new ? item.count : stays ? item_q.count
                    : at_last ? now.next_count : now.count - 17'd1;
    item_q.kind  <= from_list ? head.kind : from_new ? item.kind : ~stays & at_last ? now.next_kind
                    : now.kind;
  end

  `GW_ASSERT(ListHasRoom, items_q <= 6'd30)
  `GW_ASSERT(NothingWaitsBehindNothing, !waiting || item_valid_q)
  `GW_COVER(TwoRuns, deliver && more)
  `GW_COVER(ListFills, !room_o)
  `GW_COVER(StopsAtTheSecond, live && second && stop_two)
  `GW_COVER(StopsAtTheFirst, live && stop_one)
endmodule

`default_nettype wire
