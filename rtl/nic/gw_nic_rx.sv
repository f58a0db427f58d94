// NIC engine, wire to host: gives packed frames back as the TCP segments and UDP datagrams that they were,
// lets others through.
// ICMP errors that quote packed frames are mended.
// Latency 8 cycles for frames passed, 16 for frames unpacked, one beat a cycle; contract in
// docs/devices/nic_rx.md.
// INCEPTIONN (MICRO'18) sections VI-A and VI-B.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_rx (
  input  wire logic            aclk,
  input  wire logic            aresetn,
  input  wire logic [7:0]      protocol_tcp_i,
  input  wire logic [7:0]      protocol_udp_i,
  input  wire logic [255:0]    s_axis_tdata,
  input  wire logic [31:0]     s_axis_tkeep,
  input  wire logic            s_axis_tvalid,
  output logic                 s_axis_tready,
  input  wire logic            s_axis_tlast,
  input  wire logic            s_axis_tuser,
  output logic [255:0]         m_axis_tdata,
  output logic [31:0]          m_axis_tkeep,
  output logic                 m_axis_tvalid,
  input  wire logic            m_axis_tready,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,
  output logic                 forget_o,
  output logic [95:0]          forget_key_o,
  output logic [7*32-1:0]      stat_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  wire accept = s_axis_tvalid & s_axis_tready;
  wire [5:0] count = gw_nic_rx_pkg::count_of(s_axis_tkeep, s_axis_tlast);

  // 1. Take in: the beat in a register, counted; as many beats as both queues hold, as many frames as theirs.
  logic [2:0]  index_q;  // of the next beat in its frame; 7: after the seventh
  logic        front_gone, original_gone, finish, finish_unpacked;
  logic [6:0]  front_used_q, original_used_q, frames_q;
  // What goes is late: no sum waits for it.
  wire  [6:0]  front_in    = front_used_q + {6'd0, accept};
  wire  [6:0]  original_in = original_used_q + {6'd0, accept};
  wire  [6:0]  frames_in   = frames_q + {6'd0, accept && index_q == 3'd0};
  logic        beat_valid_q, beat_last_q, beat_bad_q;
  logic [2:0]  beat_index_q;
  logic [5:0]  beat_count_q;
  logic [255:0] beat_data_q;
  logic [26:0] beats_q;  // of the frame, before this one
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axis_tready   <= 1'b0;
      front_used_q    <= '0;
      original_used_q <= '0;
      frames_q        <= '0;
      index_q         <= '0;
      beat_valid_q    <= 1'b0;
      beats_q         <= '0;
    end else begin
      s_axis_tready   <= (~front_in[6] | front_gone) & (~original_in[6] | original_gone)
                         & (~frames_in[6] | finish);
      front_used_q    <= front_gone ? front_in - 7'd1 : front_in;
      original_used_q <= original_gone ? original_in - 7'd1 : original_in;
      frames_q        <= finish ? frames_in - 7'd1 : frames_in;
      if (accept) index_q <= s_axis_tlast ? 3'd0 : index_q + {2'd0, ~&index_q};
      beat_valid_q    <= accept;
      if (beat_valid_q) beats_q <= beat_last_q ? 27'd0 : beats_q + 27'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      beat_data_q  <= s_axis_tdata;
      beat_count_q <= count;
      beat_last_q  <= s_axis_tlast;
      beat_bad_q   <= s_axis_tuser;
      beat_index_q <= index_q;
    end
  end
  wire [31:0] size = {beats_q, 5'd0} + {26'd0, beat_count_q};

  // 2. What each frame is.
  logic        class_valid, packed_frame, quote_frame, details_valid, good, bounded, has_tag, tcp;
  logic [3:0]  bound;
  logic [7:0]  shim, lead, protocol;
  logic [1:0]  head, head_here, tail;
  logic [47:0] edges;
  logic [13:0] length, stream_end;
  logic [8:0]  groups;
  logic [15:0] checksum;
  logic        quote_valid, quote_good, quote_tcp, quote_lengthens, quote_forget;
  logic [3:0]  quote_words;
  logic [15:0] quote_total, quote_checksum;
  logic [95:0] quote_key;
  gw_nic_rx_parser u_parser (
    .clk_i, .rst_ni, .protocol_tcp_i, .protocol_udp_i,
    .accept_i          (accept),
    .index_i           (index_q),
    .data_i            (s_axis_tdata),
    .beat_valid_i      (beat_valid_q),
    .beat_index_i      (beat_index_q),
    .beat_data_i       (beat_data_q),
    .beat_count_i      (beat_count_q),
    .beat_last_i       (beat_last_q),
    .class_valid_o     (class_valid),
    .packed_o          (packed_frame),
    .quote_o           (quote_frame),
    .details_valid_o   (details_valid),
    .good_o            (good),
    .bounded_o         (bounded),
    .bound_o           (bound),
    .shim_o            (shim),
    .head_o            (head),
    .head_here_o       (head_here),
    .tail_o            (tail),
    .edges_o           (edges),
    .length_o          (length),
    .groups_o          (groups),
    .lead_o            (lead),
    .end_o             (stream_end),
    .has_tag_o         (has_tag),
    .tcp_o             (tcp),
    .protocol_o        (protocol),
    .checksum_o        (checksum),
    .quote_valid_o     (quote_valid),
    .quote_good_o      (quote_good),
    .quote_words_o     (quote_words),
    .quote_tcp_o       (quote_tcp),
    .quote_lengthens_o (quote_lengthens),
    .quote_total_o     (quote_total),
    .quote_checksum_o  (quote_checksum),
    .quote_forget_o    (quote_forget),
    .quote_key_o       (quote_key)
  );

  // 3. The stream, cut out of the front queue and decoded. A frame's class and details are there for the
  // front queue's oldest beat, and below for the oldest frame.
  logic        front_class_valid, front_packed, front_details_valid, front_good, front_bounded,
    front_frame_gone;
  logic [3:0]  front_bound;
  logic [7:0]  front_lead;
  logic [13:0] front_end;
  logic [6:0]  room;  // in queues that hold more than there can be
  gw_fifo_head #(.Width(1), .DepthLog2(6)) u_front_class (
    .clk_i, .rst_ni,
    .s_valid_i (class_valid), .s_ready_o(room[0]), .s_data_i(packed_frame),
    .m_valid_o (front_class_valid), .m_ready_i(front_frame_gone), .m_data_o(front_packed)
  );
  gw_fifo_head #(.Width(28), .DepthLog2(6)) u_front_details (
    .clk_i, .rst_ni,
    .s_valid_i (details_valid), .s_ready_o(room[1]), .s_data_i({good, bounded, bound, lead, stream_end}),
    .m_valid_o (front_details_valid), .m_ready_i(front_frame_gone & front_packed),
    .m_data_o  ({front_good, front_bounded, front_bound, front_lead, front_end})
  );
  logic         stream_valid, stream_ready, stream_last;
  logic [255:0] stream_data;
  logic [31:0]  stream_keep;
  gw_nic_rx_realigner u_realigner (
    .clk_i, .rst_ni,
    .s_valid_i       (accept),
    .s_data_i        (s_axis_tdata),
    .s_count_i       (count),
    .s_last_i        (s_axis_tlast),
    .class_valid_i   (front_class_valid),
    .packed_i        (front_packed),
    .details_valid_i (front_details_valid),
    .unpack_i        (front_good),
    .lead_i        (front_lead),
    .end_i           (front_end),
    .gone_o          (front_gone),
    .frame_gone_o    (front_frame_gone),
    .m_valid_o       (stream_valid),
    .m_ready_i       (stream_ready),
    .m_data_o        (stream_data),
    .m_keep_o        (stream_keep),
    .m_last_o        (stream_last)
  );
  logic         group_valid, group_ready, group_last, group_error;
  logic [255:0] group_data;
  logic [31:0]  group_keep, group_errors;
  gw_decompressor u_decompressor (
    .aclk, .aresetn,
    .bound_i       (front_bound),
    .bounded_i     (front_bounded),
    .s_axis_tdata  (stream_data),
    .s_axis_tkeep  (stream_keep),
    .s_axis_tvalid (stream_valid),
    .s_axis_tready (stream_ready),
    .s_axis_tlast  (stream_last),
    .s_axis_tuser  (1'b0),
    .m_axis_tdata  (group_data),
    .m_axis_tkeep  (group_keep),
    .m_axis_tvalid (group_valid),
    .m_axis_tready (group_ready),
    .m_axis_tlast  (group_last),
    .m_axis_tuser  (group_error),
    .error_count_o (group_errors)
  );

  // 4. Of each frame, for egress: its class and its verdict, where its bytes go if it is unpacked, what is
  // mended of a quote, and how it ends.
  logic        frame_valid, frame_packed, frame_quote, verdict_valid, frame_good, whole_valid, whole_bad;
  logic [31:0] whole_size;
  gw_fifo_head #(.Width(2), .DepthLog2(6)) u_class (
    .clk_i, .rst_ni,
    .s_valid_i (class_valid), .s_ready_o(room[2]), .s_data_i({packed_frame, quote_frame}),
    .m_valid_o (frame_valid), .m_ready_i(finish), .m_data_o({frame_packed, frame_quote})
  );
  gw_fifo_head #(.Width(1), .DepthLog2(6)) u_verdict (
    .clk_i, .rst_ni,
    .s_valid_i (details_valid), .s_ready_o(room[3]), .s_data_i(good),
    .m_valid_o (verdict_valid), .m_ready_i(finish & frame_packed), .m_data_o(frame_good)
  );
  // A quote has two beats at least, so that there are at most half as many as places for beats.
  logic        due_quote, mended, mended_tcp, mended_lengthens, mended_forget, forget;
  logic [3:0]  mended_words;
  logic [15:0] mended_total, mended_checksum;
  logic [95:0] mended_key;
  gw_fifo_head #(.Width(136), .DepthLog2(5)) u_quotes (
    .clk_i, .rst_ni,
    .s_valid_i (quote_valid),
    .s_ready_o (room[6]),
    .s_data_i  ({quote_good, quote_words, quote_tcp, quote_lengthens, quote_total, quote_checksum,
                 quote_forget, quote_key}),
    .m_valid_o (due_quote),
    .m_ready_i (finish & frame_quote),
    .m_data_o  ({mended, mended_words, mended_tcp, mended_lengthens, mended_total, mended_checksum,
                 mended_forget, mended_key})
  );
  gw_fifo_head #(.Width(33), .DepthLog2(6)) u_whole (
    .clk_i, .rst_ni,
    .s_valid_i (beat_valid_q & beat_last_q), .s_ready_o(room[4]), .s_data_i({beat_bad_q, size}),
    .m_valid_o (whole_valid), .m_ready_i(finish), .m_data_o({whole_bad, whole_size})
  );
  logic        due, new_has_tag;
  logic [7:0]  new_shim, new_floats, new_protocol;
  logic [8:0]  new_groups_beat;
  logic [13:0] new_tail_at, new_last_byte, new_end;
  logic [23:0] new_head_bytes;
  logic [31:0] new_tail_bytes;
  logic [15:0] new_total, new_checksum;
  gw_nic_rx_layout u_layout (
    .clk_i, .rst_ni,
    .valid_i       (details_valid & good),
    .shim_i        (shim),
    .head_i        (head),
    .head_here_i   (head_here),
    .tail_i        (tail),
    .edges_i       (edges),
    .length_i      (length),
    .groups_i      (groups),
    .end_i         (stream_end),
    .has_tag_i     (has_tag),
    .tcp_i         (tcp),
    .protocol_i    (protocol),
    .checksum_i    (checksum),
    .due_o         (due),
    .done_i        (finish_unpacked),
    .shim_o        (new_shim),
    .floats_o      (new_floats),
    .groups_beat_o (new_groups_beat),
    .tail_at_o     (new_tail_at),
    .last_byte_o   (new_last_byte),
    .head_bytes_o  (new_head_bytes),
    .tail_bytes_o  (new_tail_bytes),
    .end_o         (new_end),
    .has_tag_o     (new_has_tag),
    .total_o       (new_total),
    .protocol_o    (new_protocol),
    .checksum_o    (new_checksum)
  );

  // 5. Out. The queue of frames as they came has a beat a cycle later than the front queue.
  logic         original_valid, original_ready, original_last;
  logic [255:0] original_data;
  logic [5:0]   original_count;
  gw_fifo_head #(.Width(263), .DepthLog2(6)) u_original (
    .clk_i, .rst_ni,
    .s_valid_i (beat_valid_q),
    .s_ready_o (room[5]),
    .s_data_i  ({beat_last_q, beat_count_q, beat_data_q}),
    .m_valid_o (original_valid),
    .m_ready_i (original_ready),
    .m_data_o  ({original_last, original_count, original_data})
  );
  assign original_gone = original_valid & original_ready;
  gw_nic_rx_egress u_egress (
    .clk_i, .rst_ni,
    .class_valid_i     (frame_valid),
    .packed_i          (frame_packed),
    .quote_i           (frame_quote),
    .verdict_valid_i   (verdict_valid),
    .good_i            (frame_good),
    .due_i             (due),
    .shim_i            (new_shim),
    .floats_i          (new_floats),
    .groups_beat_i     (new_groups_beat),
    .tail_at_i         (new_tail_at),
    .last_byte_i       (new_last_byte),
    .head_bytes_i      (new_head_bytes),
    .tail_bytes_i      (new_tail_bytes),
    .end_i             (new_end),
    .has_tag_i         (new_has_tag),
    .total_i           (new_total),
    .protocol_i        (new_protocol),
    .checksum_i        (new_checksum),
    .quote_valid_i     (due_quote),
    .quote_good_i      (mended),
    .quote_words_i     (mended_words),
    .quote_tcp_i       (mended_tcp),
    .quote_lengthens_i (mended_lengthens),
    .quote_total_i     (mended_total),
    .quote_checksum_i  (mended_checksum),
    .quote_forget_i    (mended_forget),
    .whole_valid_i     (whole_valid),
    .whole_bad_i       (whole_bad),
    .whole_size_i      (whole_size),
    .finish_o          (finish),
    .finish_unpacked_o (finish_unpacked),
    .forget_o          (forget),
    .original_valid_i  (original_valid),
    .original_ready_o  (original_ready),
    .original_data_i   (original_data),
    .original_count_i  (original_count),
    .original_last_i   (original_last),
    .group_valid_i     (group_valid),
    .group_ready_o     (group_ready),
    .group_data_i      (group_data),
    .group_last_i      (group_last),
    .group_error_i     (group_error),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .stat_o
  );

  // A flow to be forgotten, in the cycle after its quote has finished. The first byte on the wire is the
  // uppermost one here.
  always_ff @(posedge clk_i) forget_o <= forget & rst_ni;
  always_ff @(posedge clk_i) begin
    if (forget) for (int i = 0; i < 12; i++) forget_key_o[8*i +: 8] <= mended_key[8*(11 - i) +: 8];
  end

  wire unused = ^{group_keep, group_errors};  // always ones; what egress counts
  `GW_ASSERT(QueuesHaveRoom, (&room) || (!beat_valid_q && !class_valid && !details_valid && !quote_valid))
  `GW_ASSERT(NeverMoreThanCapacity, front_used_q <= 7'd64 && original_used_q <= 7'd64 && frames_q <= 7'd64)
endmodule

`default_nettype wire
