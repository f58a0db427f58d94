// Egress of nic_rx: frames in their order, as they came, with what the decompressor made of their streams, or
// with what they quote mended; counts them.
// Latency 2 cycles from a beat's issue, one beat a cycle.
// INCEPTIONN (MICRO'18) section VI-A: the way to the packet DMA.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_rx_egress (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  // The oldest frame: its class, of a packed one the verdict, of a good one its layout (as gw_nic_rx_layout
  // gives it; due_i: it may begin), and when it is in whole, its end.
  input  wire logic            class_valid_i,
  input  wire logic            packed_i,
  input  wire logic            quote_i,
  input  wire logic            verdict_valid_i,
  input  wire logic            good_i,
  input  wire logic            due_i,
  input  wire logic [7:0]      shim_i,
  input  wire logic [7:0]      floats_i,
  input  wire logic [8:0]      groups_beat_i,
  input  wire logic [13:0]     tail_at_i,
  input  wire logic [13:0]     last_byte_i,
  input  wire logic [23:0]     head_bytes_i,
  input  wire logic [31:0]     tail_bytes_i,
  input  wire logic [13:0]     end_i,
  input  wire logic            has_tag_i,
  input  wire logic [15:0]     total_i,
  input  wire logic [7:0]      protocol_i,
  input  wire logic [15:0]     checksum_i,
  // A quote: what is new in the quoted IPv4 header, and by how many words of 4 bytes its place differs
  // (gw_nic_rx_quotes).
  input  wire logic            quote_valid_i,
  input  wire logic            quote_good_i,
  input  wire logic [3:0]      quote_words_i,
  input  wire logic            quote_tcp_i,
  input  wire logic            quote_lengthens_i,
  input  wire logic [15:0]     quote_total_i,
  input  wire logic [15:0]     quote_checksum_i,
  input  wire logic            quote_forget_i,
  input  wire logic            whole_valid_i,
  input  wire logic            whole_bad_i,   // it came with tuser
  input  wire logic [31:0]     whole_size_i,
  output logic                 finish_o,      // all of these are done with
  output logic                 finish_unpacked_o,
  // with finish_o: the quote says that its flow is to be forgotten
  output logic                 forget_o,
  // The oldest beat of the frame as it came.
  input  wire logic            original_valid_i,
  output logic                 original_ready_o,
  input  wire logic [255:0]    original_data_i,
  input  wire logic [5:0]      original_count_i,
  input  wire logic            original_last_i,
  // What the decompressor offers.
  input  wire logic            group_valid_i,
  output logic                 group_ready_o,
  input  wire logic [255:0]    group_data_i,
  input  wire logic            group_last_i,
  input  wire logic            group_error_i,
  output logic [255:0]         m_axis_tdata,
  output logic [31:0]          m_axis_tkeep,
  output logic                 m_axis_tvalid,
  input  wire logic            m_axis_tready,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,
  output logic [7*32-1:0]      stat_o
);
  logic [2:0] used_q;  // beats issued and not left
  wire        credit = ~used_q[2];

  // Where the frame that is unpacked is: what the next issue, the j-th, has to do with the frame's parts. All
  // of it is known before the cycle begins; a frame's first issue has to do with none but its first beat.
  logic [8:0] issue_q, next_q;    // j, j + 1
  logic       first_q;            // j = 0
  logic       edge_q;             // the shim begins in beat j
  logic       header_q;           // j is not after that beat
  // issues up to the one before that beat's are done: no beat waits for its issue any more
  logic       drains_q;
  logic       held_q;             // that beat has left its queue
  logic       floats_q;           // j >= J
  logic       rest_q;             // j > J: the group before has bytes for it
  logic       takes_q;            // J <= j < J + g
  logic       taken_q;            // j >= J + g
  logic       tail_q, tail_past_q;  // the tail begins in beat j, or before
  logic       last_q;             // j = M - 1
  // And what has been.
  logic       last_issued_q;
  logic       original_done_q;
  logic       stream_done_q;      // the last of the decompressor's packet is taken
  logic       overrun_q;          // group g - 1 was not its packet's last
  logic       broken_q;           // of the last issue
  logic [13:0] bytes_q;

  wire as_it_came = class_valid_i & (packed_i ? verdict_valid_i & ~good_i : ~quote_i | quote_valid_i);
  wire mends      = quote_i & quote_good_i;  // if its details are there
  wire unpacks    = class_valid_i & packed_i & verdict_valid_i & good_i & due_i;

  wire early      = takes_q & (stream_done_q | (group_valid_i & group_error_i));
  wire is_last    = last_q | early;
  wire overruns   = takes_q ? group_valid_i & ~group_last_i : overrun_q;  // if this is the last issue
  wire can_issue  = credit & ~last_issued_q & (~header_q | held_q | original_valid_i)
                  & (~takes_q | stream_done_q | group_valid_i) & (~last_q | early | overruns | whole_valid_i);
  wire issue_unpacked = unpacks & can_issue;
  wire issue_original = as_it_came & credit & original_valid_i;
  wire issue          = issue_unpacked | issue_original;
  wire take           = issue_unpacked & takes_q & ~stream_done_q;
  wire broken         = early | overruns | {18'd0, end_i} >= whole_size_i;

  assign original_ready_o = issue_original | (unpacks & (drains_q ? ~original_done_q : can_issue));
  assign group_ready_o    = take | (taken_q & ~stream_done_q);
  wire original_ends = original_ready_o & original_valid_i & original_last_i;
  wire stream_ends   = group_ready_o & group_valid_i & group_last_i;
  // The last issue comes after those whose beats wait for it: all that can end with it is known without it.
  wire original_whole  = original_done_q | (drains_q & original_valid_i & original_last_i);
  wire stream_whole    = stream_done_q | ((takes_q | taken_q) & group_valid_i & group_last_i);
  wire finish_original = issue_original & original_last_i;
  assign finish_unpacked_o = unpacks & original_whole & stream_whole
                             & (last_issued_q | (can_issue & is_last));
  assign finish_o = finish_original | finish_unpacked_o;
  assign forget_o = finish_original & mends & quote_forget_i & ~whole_bad_i;

  wire restart = ~rst_ni | finish_o;
  always_ff @(posedge clk_i) begin
    if (restart) begin
      issue_q         <= '0;
      next_q          <= 9'd1;
      first_q         <= 1'b1;
      edge_q          <= 1'b0;
      header_q        <= 1'b1;
      drains_q        <= 1'b0;
      held_q          <= 1'b0;
      floats_q        <= 1'b0;
      rest_q          <= 1'b0;
      takes_q         <= 1'b0;
      taken_q         <= 1'b0;
      tail_q          <= 1'b0;
      tail_past_q     <= 1'b0;
      last_q          <= 1'b0;
      last_issued_q   <= 1'b0;
      original_done_q <= 1'b0;
      stream_done_q   <= 1'b0;
      overrun_q       <= 1'b0;
    end else begin
      if (issue_unpacked) begin
        issue_q       <= next_q;
        next_q        <= next_q + 9'd1;
        first_q       <= 1'b0;
        edge_q        <= next_q == {6'd0, shim_i[7:5]};
        header_q      <= header_q & ~edge_q;
        drains_q      <= drains_q | next_q == {6'd0, shim_i[7:5]};
        floats_q      <= floats_q | next_q == {6'd0, floats_i[7:5]};
        rest_q        <= floats_q;
        takes_q       <= (takes_q | next_q == {6'd0, floats_i[7:5]}) & next_q != groups_beat_i;
        taken_q       <= taken_q | next_q == groups_beat_i;
        tail_q        <= next_q == tail_at_i[13:5];
        tail_past_q   <= tail_past_q | tail_q;
        last_q        <= next_q == last_byte_i[13:5];
        last_issued_q <= is_last;
        if (takes_q && next_q == groups_beat_i) overrun_q <= overruns;
      end
      held_q          <= held_q | (drains_q & original_valid_i);
      original_done_q <= original_done_q | original_ends;
      stream_done_q   <= stream_done_q | stream_ends;
    end
  end
  // Where a frame is that leaves as it came: the beat's number, 4 for all from there on.
  logic [2:0] beat_q;
  always_ff @(posedge clk_i) begin
    if (restart) beat_q <= '0;
    else if (issue_original) beat_q <= beat_q + {2'd0, ~beat_q[2]};
  end
  wire [13:0] bytes = early ? {issue_q, floats_i[4:0]} : last_byte_i + 14'd1;
  always_ff @(posedge clk_i) begin
    if (issue_unpacked) begin
      broken_q <= broken;
      bytes_q  <= bytes;
    end
  end

  // First stage: the beat without tail. A group is turned to where the floats begin; its lower part is its
  // own beat's upper one, its upper part waits for the next. The same register holds the last header beat,
  // should that leave its queue before.
  logic [255:0] turned, kept_q, body_d, body_q;
  logic         valid_q, last1_q, error_q;
  logic [5:0]   count_q, tail_from_q;
  logic [31:0]  tail_bytes_q;
  gw_byte_rotate u_rotate (.data_i(group_data_i), .bytes_i(5'd0 - floats_i[4:0]), .data_o(turned));
  // The header's new bytes: total length, protocol, checksum, wherever a tag puts them.
  wire [15:0] total    = gw_nic_rx_pkg::swap16(total_i);
  wire [15:0] checksum = gw_nic_rx_pkg::swap16(checksum_i);
  wire [63:0] new_word [0:3];
  wire [63:0] old_mask [0:3];
  assign new_word[0] = 64'd0;
  assign new_word[1] = 64'd0;
  assign new_word[2] = {protocol_i, 8'd0, total, 16'd0, total};
  assign new_word[3] = {16'd0, checksum, protocol_i, 8'd0, checksum};
  assign old_mask[0] = 64'hFFFF_FFFF_FFFF_FFFF;
  assign old_mask[1] = 64'hFFFF_FFFF_FFFF_FFFF;
  assign old_mask[2] = ~{{8{~has_tag_i & first_q}}, 8'd0, {16{has_tag_i & first_q}}, 16'd0,
                         {16{~has_tag_i & first_q}}};
  assign old_mask[3] = ~{16'd0, {16{has_tag_i & first_q}}, {8{has_tag_i & first_q}}, 8'd0,
                         {16{~has_tag_i & first_q}}};
  // The quoted header's new bytes: it begins two bytes after a word of four, and the words of total length,
  // of TTL and protocol, and of the checksum begin with the lower, the upper and the lower half of such a
  // word.
  wire [15:0] quote_total    = gw_nic_rx_pkg::swap16(quote_total_i);
  wire [15:0] quote_checksum = gw_nic_rx_pkg::swap16(quote_checksum_i);
  wire [7:0]  quote_protocol = quote_tcp_i ? gw_nic_rx_pkg::ProtocolTcp : gw_nic_rx_pkg::ProtocolUdp;
  wire [4:0]  quote_at       = {1'b0, quote_words_i} + 5'd11;  // the word of four that holds the total length
  wire [255:0] came;
  for (genvar i = 0; i < 8; i++) begin : gen_came
    wire [4:0]  behind      = {beat_q[1:0], 3'(i)} - quote_at;  // words
    wire        here        = mends & ~beat_q[2] & behind[4:2] == 3'd0;
    wire        is_total    = here & behind[1:0] == 2'd0 & quote_lengthens_i;
    wire        is_protocol = here & behind[1:0] == 2'd1;
    wire        is_checksum = here & behind[1:0] == 2'd2;
    assign came[32*i +: 32] = {is_protocol ? quote_protocol : original_data_i[32*i + 24 +: 8],
                               original_data_i[32*i + 16 +: 8],
                               is_total ? quote_total : is_checksum ? quote_checksum
                                 : original_data_i[32*i +: 16]};
  end
  // The head's bytes lie at the shim's place, 2 modulo 4, and after: each of the three is at one place of a
  // word of four.
  wire [31:0] head_bytes = {head_bytes_i[15:8], head_bytes_i[7:0], 8'd0, head_bytes_i[23:16]};
  wire        head_all   = ~header_q & ~rest_q;
  for (genvar i = 0; i < 4; i++) begin : gen_word
    localparam logic [1:0] Word = 2'(i);
    wire [63:0] original = (original_data_i[64*i +: 64] & old_mask[i]) | (new_word[i] & ~old_mask[i]);
    wire [63:0] lower    = held_q ? kept_q[64*i +: 64] : original;
    wire [63:0] below_head  = gw_nic_rx_pkg::below({1'b0, shim_i[4:0]}, Word);
    wire [63:0] below_group = gw_nic_rx_pkg::below({1'b0, floats_i[4:0]}, Word);
    wire [63:0] in_head  = ({64{edge_q}} & ~below_head) | {64{head_all}};
    wire [63:0] in_group = {64{floats_q}} & ~below_group;
    wire [63:0] headed   = (lower & ~in_head) | ({head_bytes, head_bytes} & in_head);
    assign body_d[64*i +: 64] = unpacks ? (headed & ~in_group) | (turned[64*i +: 64] & in_group)
                                : came[64*i +: 64];
  end
  always_ff @(posedge clk_i) begin
    valid_q <= issue && rst_ni;
    if (issue) begin
      body_q  <= body_d;
      last1_q <= unpacks ? is_last : original_last_i;
      error_q <= unpacks ? is_last & (broken | whole_bad_i) : original_last_i & whole_bad_i;
      count_q <= !unpacks ? original_count_i : early ? {1'b0, floats_i[4:0]} : last_q
                 ? {1'b0, last_byte_i[4:0]} + 6'd1 : 6'd32;
      tail_from_q  <= unpacks & tail_past_q ? 6'd0 : unpacks & tail_q ? {1'b0, tail_at_i[4:0]} : 6'd32;
      tail_bytes_q <= tail_bytes_i;
    end
    if (take | (drains_q & original_valid_i & ~held_q)) kept_q <= take ? turned : original_data_i;
  end

  // Second stage: the tail goes in, and what no byte of the frame's is out.
  wire [255:0] whole;
  for (genvar i = 0; i < 4; i++) begin : gen_whole
    localparam logic [1:0] Word = 2'(i);
    wire [63:0] before_tail = gw_nic_rx_pkg::below(tail_from_q, Word);
    assign whole[64*i +: 64] = ((body_q[64*i +: 64] & before_tail)
                                | ({tail_bytes_q, tail_bytes_q} & ~before_tail))
                             & gw_nic_rx_pkg::below(count_q, Word);
  end
  logic queue_room;
  gw_fifo_head #(.Width(290), .DepthLog2(2)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i (valid_q),
    .s_ready_o (queue_room),
    .s_data_i  ({error_q, last1_q, gw_nic_rx_pkg::keep_of(count_q), whole}),
    .m_valid_o (m_axis_tvalid),
    .m_ready_i (m_axis_tready),
    .m_data_o  ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );
  wire [2:0] used_in = used_q + {2'd0, issue};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else used_q <= m_axis_tvalid & m_axis_tready ? used_in - 3'd1 : used_in;
  end

  // Statistics: actions in the order of RxAction.
  wire       bad_stream = last_issued_q ? broken_q : broken;
  wire [4:0] action = {finish_original & mends, finish_unpacked_o & ~bad_stream,
                       finish_unpacked_o & bad_stream,
                       finish_original & packed_i, finish_original & ~packed_i & ~mends};
  for (genvar i = 0; i < 5; i++) begin : gen_action
    logic [31:0] frames_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) frames_q <= '0;
      else if (action[i]) frames_q <= frames_q + 32'd1;
    end
    assign stat_o[32*i +: 32] = frames_q;
  end
  logic [31:0] bytes_in_q, bytes_out_q;
  wire  [31:0] bytes_out = !unpacks ? whole_size_i : {18'd0, last_issued_q ? bytes_q : bytes};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bytes_in_q  <= '0;
      bytes_out_q <= '0;
    end else if (finish_o) begin
      bytes_in_q  <= bytes_in_q + whole_size_i;
      bytes_out_q <= bytes_out_q + bytes_out;
    end
  end
  assign stat_o[32*5 +: 32] = bytes_in_q;
  assign stat_o[32*6 +: 32] = bytes_out_q;

  `GW_ASSERT(NeverMoreThanCredit, used_q <= 3'd4)
  `GW_ASSERT(QueueHasRoom, !valid_q || queue_room)
  `GW_ASSERT(FinishedInWhole, !finish_o || whole_valid_i)
endmodule

`default_nettype wire
