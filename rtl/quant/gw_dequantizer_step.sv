// What is done in a cycle: what of the window is consumed, whether a beat is emitted, with an error or as the packet's last.
// At most one step a cycle; the values of what is emitted are built behind it.
// docs/devices/dequantizer.md, step, close, error step.
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_step (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         credit_i,
  input  wire logic         some_i,
  input  wire logic         last_i,
  input  wire logic         end_i,
  input  wire logic [1:0]   place_i,
  input  wire logic [9:0]   bits_i,
  input  wire logic [7:0]   status_i,
  input  wire logic         user_i,
  input  wire logic [6:0]   reason_i,
  input  wire logic [108:0] context_i,
  input  wire logic [191:0] words_i,
  output logic [1:0]        word_o,
  output logic [1:0]        leave_o,
  output logic [5:0]        shift_o,   // from words_i's first bit to the place
  output logic              emit_o,
  output logic              error_o,   // with emit_o: the error beat
  output logic              final_o,   // with emit_o: the packet's last beat, and its tuser
  output logic              user_o,
  output logic              opens_o,   // MX: the block's scale is in front
  output logic              empty_o,   // a group in which nothing is sent
  output logic [8:0]        malformed_o,
  output logic [3:0]        take_o,    // Rice: first entry into b, into b+1, second into b, into b+1
  output logic [11:0]       entry_one_o,  // lane 3, sign 1, m 8
  output logic [11:0]       entry_two_o
);
  wire [2:0]  format     = context_i[108:106];
  wire        rice       = context_i[105];
  wire [3:0]  k          = context_i[104:101];
  wire [16:0] last_beat  = context_i[100:84];
  wire [19:0] n          = context_i[83:64];
  wire unused_context    = ^context_i[63:0];
  wire raw    = format == 3'd0;
  wire wgt    = format == 3'd1;
  wire qgt    = format == 3'd3;
  wire onebit = format == 3'd4;
  wire mx     = format[2] & format[1];
  wire fp4    = format[0];
  wire mask   = ~raw & ~onebit & ~mx;

  logic [7:0]  p_q;
  logic [16:0] beat_q;   // the beat that is due
  logic [7:0]  run_q;    // empty groups to come
  logic [19:0] next_q;   // Rice: the index behind the entry before
  logic        drain_q;
  wire [9:0] avail = bits_i - {2'd0, p_q};
  // The last byte is the status and no payload. A beat with tlast may have no byte at all; so whether a byte is the last one
  // shows only when there is a beat behind its own, and until then it is not read.
  wire       none  = avail < 10'd8;
  wire [9:0] room  = avail - 10'd8;
  wire       final_beat = beat_q == last_beat;
  wire [7:0] below_n = final_beat & n[2:0] != 3'd0 ? ~(8'hFF << n[2:0]) : 8'hFF;
  assign word_o  = p_q[7:6];
  assign shift_o = p_q[5:0];
  wire [191:0] shifted = words_i >> p_q[5:0];
  wire [95:0]  head    = shifted[95:0];
  wire unused_head     = ^shifted[191:96];

  // Plain.
  wire       runs   = run_q != 8'd0;
  wire [7:0] sent   = head[7:0];
  wire [7:0] second = head[15:8];
  wire [3:0] ones   = ({3'd0, sent[0]} + {3'd0, sent[1]} + {3'd0, sent[2]} + {3'd0, sent[3]})
                    + ({3'd0, sent[4]} + {3'd0, sent[5]} + {3'd0, sent[6]} + {3'd0, sent[7]});
  wire [3:0] values    = final_beat & n[2:0] != 3'd0 ? {1'b0, n[2:0]} : 4'd8;
  wire [2:0] beats     = final_beat ? 3'd4 - {1'b0, beat_q[1:0]} : 3'd1;
  wire       opens     = beat_q[1:0] == 2'd0;
  wire [8:0] mx_length = (fp4 ? {1'b0, beats, 5'd0} : {beats, 6'd0}) + {5'd0, opens, 3'd0};
  wire [8:0] group     = sent == 8'd0 ? 9'd16 : wgt ? {ones, 5'd0} + 9'd8 : 9'd16 + ({2'd0, ones, 3'd0} & {9{qgt}});
  wire [8:0] length    = raw ? {values, 5'd0} : onebit ? 9'd8 : mx ? mx_length : group & {9{~runs}};
  wire       fresh     = mask & ~runs;
  wire [16:0] groups_left = last_beat - beat_q;
  wire       wrong     = sent == 8'd0 ? {9'd0, second} > groups_left
                                      : (sent & ~below_n) != 8'd0 | (~wgt & (second & ~sent) != 8'd0);
  wire [7:0] zeros;
  for (genvar i = 0; i < 8; i++) begin : gen_m
    assign zeros[i] = head[16 + 8*i +: 8] == 8'd0 & ones > i;
  end
  wire zero_m      = fresh & qgt & sent != 8'd0 & zeros != 8'd0;
  wire lacking     = none | (fresh & room < 10'd16) | (~(fresh & wrong) & room < {1'b0, length});
  wire plain_error = lacking ? end_i : (fresh & wrong) | zero_m;
  wire plain_good  = ~lacking & ~(fresh & wrong) & ~zero_m;

  // Rice: two codes.
  wire        one_entry, one_end, one_sign, two_entry, two_end, two_sign;
  wire [19:0] one_index, two_index;
  wire [7:0]  one_m, two_m;
  wire [5:0]  one_gap, one_length, two_gap, two_length;
  wire [51:0] one_rest, two_rest;
  gw_dequantizer_code u_one (
    .bits_i(head), .avail_i(room & {10{~none}}), .k_i(k), .qgt_i(qgt), .next_i(next_q), .n_i(n), .entry_o(one_entry), .end_o(one_end),
    .index_o(one_index), .sign_o(one_sign), .m_o(one_m), .gap_length_o(one_gap), .length_o(one_length), .rest_o(one_rest)
  );
  gw_dequantizer_code u_two (
    .bits_i({44'd0, one_rest}), .avail_i(room - {4'd0, one_length}), .k_i(k), .qgt_i(qgt), .next_i(one_index + 20'd1), .n_i(n),
    .entry_o(two_entry), .end_o(two_end), .index_o(two_index), .sign_o(two_sign), .m_o(two_m), .gap_length_o(two_gap),
    .length_o(two_length), .rest_o(two_rest)
  );
  wire unused_two = ^{two_gap, two_rest};
  wire [16:0] beat_next = beat_q + 17'd1;
  wire one_here = one_entry & one_index[19:3] == beat_q;
  wire one_next = one_entry & one_index[19:3] == beat_next;
  wire two_here = two_entry & two_index[19:3] == beat_q;
  wire two_next = two_entry & two_index[19:3] == beat_next;
  wire rice_ready = end_i | avail >= 10'd96;
  wire rice_error = ~one_entry & ~one_end;
  wire rice_close = one_end & final_beat;
  wire rice_emit  = one_here ? (two_entry & ~two_here) | (two_end & ~final_beat) : ~rice_error & ~rice_close;
  wire take_one   = one_here | one_next;
  wire take_two   = (one_here & (two_here | two_next)) | (one_next & two_next);
  wire [5:0] rice_end    = p_q[5:0] + one_gap;
  wire [5:0] rice_whole  = one_gap + {3'd0, 3'd0 - rice_end[2:0]};
  wire [6:0] rice_length = ({1'b0, one_length} & {7{take_one}}) + ({1'b0, two_length} & {7{take_two}});
  wire unused_end = ^rice_end[5:3];

  // Close, and what it all comes to.
  wire [8:0] close_length = rice ? {3'd0, rice_whole} : length;
  wire [9:0] rest         = avail - {1'b0, close_length};
  wire       close        = rice ? rice_close : plain_good & final_beat;
  wire       close_waits  = ~end_i & rest < 10'd16;
  wire       rest_wrong   = rest != 10'd8;
  wire       status_wrong = status_i[7:3] != 5'd0;

  wire step       = some_i & ~drain_q & credit_i;
  wire header_bad = reason_i != 7'd0;
  wire decodes    = step & ~header_bad & (~rice | rice_ready);
  wire closes     = decodes & close & ~close_waits;
  wire payload    = (decodes & (rice ? rice_error : plain_error)) | (closes & rest_wrong);
  wire status     = closes & ~rest_wrong & status_wrong;
  wire finishes   = closes & ~rest_wrong & ~status_wrong;
  wire advances   = decodes & (rice ? ~rice_error & ~rice_close : plain_good & ~final_beat);
  assign malformed_o = {status, payload, reason_i & {7{step}}};
  assign error_o     = (step & header_bad) | payload | status;
  assign final_o     = finishes;
  assign user_o      = user_i | status_i != 8'd0;
  assign emit_o      = error_o | finishes | (advances & (~rice | rice_emit));
  assign opens_o     = opens;
  assign empty_o     = runs | sent == 8'd0;
  assign take_o      = {take_two & two_next, take_two & two_here, one_next, one_here} & {4{advances & rice}};
  assign entry_one_o = {one_index[2:0], one_sign, one_m};
  assign entry_two_o = {two_index[2:0], two_sign, two_m};

  wire [8:0] distance = rice ? {2'd0, rice_length} : length;
  wire [9:0] place    = {2'd0, p_q} + {1'b0, distance};
  wire       drains   = drain_q & some_i;
  assign leave_o = finishes ? place_i + 2'd1 : error_o | drains ? 2'd1 : advances ? place[9:8] : 2'd0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) drain_q <= 1'b0;
    else if (drains) drain_q <= ~last_i;
    else if (error_o) drain_q <= ~last_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni | error_o | finishes) begin
      p_q    <= 8'd128;
      beat_q <= '0;
      run_q  <= '0;
      next_q <= '0;
    end else if (advances) begin
      p_q <= place[7:0];
      if (emit_o) beat_q <= beat_next;
      if (mask & ~rice) run_q <= runs ? run_q - 8'd1 : sent == 8'd0 ? second : 8'd0;
      if (take_one) next_q <= (take_two ? two_index : one_index) + 20'd1;
    end
  end

  `GW_ASSERT(OneReason, (malformed_o & (malformed_o - 9'd1)) == 9'd0)
  `GW_ASSERT(NeverWithoutABeat, !emit_o || some_i)
  `GW_ASSERT(TheEndStays, !(advances && end_i) || place[9:8] <= place_i)
  `GW_COVER(TwoEntries, take_one && take_two && advances && rice)
  `GW_COVER(EntryFarBehind, advances && rice && one_entry && !take_one)
  `GW_COVER(CloseWaits, decodes && close && close_waits)
  `GW_COVER(Drains, drains)
endmodule

`default_nettype wire
