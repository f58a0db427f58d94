// NIC engine from host to wire: replaces the floats of marked TCP segments and UDP datagrams by their encoded
// groups.
// Latency 8 cycles for what passes, a frame's beats + 16 for what may be packed, one beat a cycle.
// INCEPTIONN (MICRO'18) sections VI-A and VI-B, Figure 8; ports and cycle contract: docs/devices/nic_tx.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [7:0]   mark_i,
  input  wire logic [7:0]   mark_mask_i,
  input  wire logic         grid_i,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [7:0]   protocol_tcp_i,
  input  wire logic [7:0]   protocol_udp_i,
  input  wire logic         forget_i,
  input  wire logic [95:0]  forget_key_i,
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
  output logic [19*32-1:0]  stat_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // 1. Take in: each beat goes to the judge, to the original queue, where it waits for what becomes of its
  // frame, and to the front queue, where it waits for its frame's class.
  wire       accept = s_axis_tvalid & s_axis_tready;
  wire       leave  = m_axis_tvalid & m_axis_tready;
  wire       first, front_leave, original_pop, finish;
  wire [5:0] count  = s_axis_tlast ? gw_nic_tx_pkg::ones(gw_nic_tx_pkg::contiguous(s_axis_tkeep)) : 6'd32;
  wire       user   = s_axis_tlast & s_axis_tuser;

  // Room: beats in both queues from their acceptance on, and frames.
  logic [10:0] original_used_q;
  logic [5:0]  front_used_q;
  logic [8:0]  frames_q;
  wire  [10:0] original_used = original_used_q + {10'd0, accept} - {10'd0, original_pop};
  wire  [5:0]  front_used    = front_used_q + {5'd0, accept} - {5'd0, front_leave};
  wire  [8:0]  frames        = frames_q + {8'd0, accept & first} - {8'd0, finish};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axis_tready   <= 1'b0;
      original_used_q <= '0;
      front_used_q    <= '0;
      frames_q        <= '0;
    end else begin
      s_axis_tready   <= ~original_used[10] & ~front_used[5] & ~frames[8];
      original_used_q <= original_used;
      front_used_q    <= front_used;
      frames_q        <= frames;
    end
  end

  wire         original_valid, original_last, original_user;
  wire [5:0]   original_count;
  wire [255:0] original_data;
  gw_nic_tx_queue #(.Width(264), .DepthLog2(10)) u_original (
    .clk_i, .rst_ni,
    .push_i  (accept),
    .data_i  ({user, s_axis_tlast, count, s_axis_tdata}),
    .valid_o (original_valid),
    .pop_i   (original_pop),
    .data_o  ({original_user, original_last, original_count, original_data})
  );

  wire         beat_valid, beat_last, beat_room;
  wire [5:0]   beat_count;
  wire [255:0] beat_data;
  gw_fifo_head #(.Width(263), .DepthLog2(5)) u_front (
    .clk_i, .rst_ni,
    .s_valid_i(accept), .s_ready_o(beat_room), .s_data_i({s_axis_tlast, count, s_axis_tdata}),
    .m_valid_o(beat_valid), .m_ready_i(front_leave), .m_data_o({beat_last, beat_count, beat_data})
  );

  wire        class_push, tag, tcp, bounded, action_push, drop, overlong_push, evicted, forgotten;
  wire [1:0]  class_pushed, head, tail;
  wire [7:0]  payload_at, floats_at, protocol;
  wire [11:0] floats;
  wire [13:0] total, packet_end;
  wire [6:0]  checksum_at;
  wire [15:0] ip_checksum, checksum;
  wire [3:0]  bound, action_pushed;
  gw_nic_tx_judge u_judge (
    .clk_i, .rst_ni, .mark_i, .mark_mask_i, .grid_i, .bound_i, .bounded_i, .protocol_tcp_i, .protocol_udp_i,
    .forget_i, .forget_key_i,
    .valid_i        (accept),
    .data_i         (s_axis_tdata),
    .count_i        (count),
    .last_i         (s_axis_tlast),
    .user_i         (user),
    .first_o        (first),
    .class_valid_o  (class_push),
    .class_o        (class_pushed),
    .payload_at_o   (payload_at),
    .floats_at_o    (floats_at),
    .floats_o       (floats),
    .head_o         (head),
    .tail_o         (tail),
    .total_o        (total),
    .end_o          (packet_end),
    .tag_o          (tag),
    .tcp_o          (tcp),
    .checksum_at_o  (checksum_at),
    .ip_checksum_o  (ip_checksum),
    .checksum_o     (checksum),
    .protocol_o     (protocol),
    .bound_o        (bound),
    .bounded_o      (bounded),
    .action_valid_o (action_push),
    .action_o       (action_pushed),
    .drop_o         (drop),
    .overlong_o     (overlong_push),
    .evicted_o      (evicted),
    .forgotten_o    (forgotten)
  );

  // 2. Front: the floats of candidates go to the compressor. What the verdict and the packed frame's headers
  // need goes along.
  localparam int FieldBits = 85;
  wire [FieldBits-1:0] fields = {payload_at, total, packet_end, tag, tcp, checksum_at, ip_checksum, checksum,
                                 protocol};
  wire                 frame_valid, frame_room, frame_candidate, frame_bounded;
  wire [7:0]           frame_floats_at;
  wire [11:0]          frame_floats;
  wire [1:0]           frame_head, frame_tail;
  wire [3:0]           frame_bound;
  wire [FieldBits-1:0] frame_fields;
  gw_fifo_head #(.Width(30 + FieldBits), .DepthLog2(5)) u_frames (
    .clk_i, .rst_ni,
    .s_valid_i (class_push),
    .s_ready_o (frame_room),
    .s_data_i  ({class_pushed == gw_nic_tx_pkg::ClassCandidate, floats_at, floats, head, tail, bound, bounded,
                 fields}),
    .m_valid_o (frame_valid),
    .m_ready_i (front_leave & beat_last),
    .m_data_o  ({frame_candidate, frame_floats_at, frame_floats, frame_head, frame_tail, frame_bound,
                 frame_bounded, frame_fields})
  );

  wire         group_valid, group_ready, group_last, done;
  wire [255:0] group;
  wire [47:0]  edges;
  gw_nic_tx_gather u_gather (
    .clk_i, .rst_ni,
    .beat_valid_i  (beat_valid),
    .beat_data_i   (beat_data),
    .beat_count_i  (beat_count),
    .beat_last_i   (beat_last),
    .leave_o       (front_leave),
    .frame_valid_i (frame_valid),
    .candidate_i   (frame_candidate),
    .floats_at_i   (frame_floats_at),
    .floats_i      (frame_floats),
    .head_i        (frame_head),
    .tail_i        (frame_tail),
    .group_valid_o (group_valid),
    .group_ready_i (group_ready),
    .group_data_o  (group),
    .group_last_o  (group_last),
    .done_o        (done),
    .edges_o       (edges)
  );

  // 3. Compressor, and the queue of what it made.
  wire         stream_push, stream_room, stream_push_last, unused_stream_user;
  wire [255:0] stream_pushed;
  wire [31:0]  stream_keep, unused_errors;
  gw_compressor u_compressor (
    .aclk, .aresetn,
    .bound_i       (frame_bound),
    .bounded_i     (frame_bounded),
    .s_axis_tdata  (group),
    .s_axis_tkeep  (32'hFFFF_FFFF),
    .s_axis_tvalid (group_valid),
    .s_axis_tready (group_ready),
    .s_axis_tlast  (group_last),
    .s_axis_tuser  (1'b0),
    .m_axis_tdata  (stream_pushed),
    .m_axis_tkeep  (stream_keep),
    .m_axis_tvalid (stream_push),
    .m_axis_tready (stream_room),
    .m_axis_tlast  (stream_push_last),
    .m_axis_tuser  (unused_stream_user),
    .error_count_o (unused_errors)
  );
  logic [10:0]  stream_used_q;
  wire          stream_valid, stream_last, stream_pop;
  wire [255:0]  stream_data;
  assign stream_room = ~stream_used_q[10];
  wire          stream_handed = stream_push & stream_room;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stream_used_q <= '0;
    else stream_used_q <= stream_used_q + {10'd0, stream_handed} - {10'd0, stream_pop};
  end
  gw_nic_tx_queue #(.Width(257), .DepthLog2(10)) u_stream (
    .clk_i, .rst_ni,
    .push_i (stream_handed), .data_i({stream_push_last, stream_pushed}),
    .valid_o(stream_valid), .pop_i(stream_pop), .data_o({stream_last, stream_data})
  );

  // What encoding takes away, for the checksum. The compressor holds no more packets than it has places.
  wire        removed_push, removed_valid, removed_room;
  wire [16:0] removed_pushed, removed;
  wire        verdict_push;
  gw_nic_tx_removed u_removed (
    .clk_i, .rst_ni,
    .valid_i   (group_valid & group_ready),
    .data_i    (group),
    .last_i    (group_last),
    .bound_i   (frame_bound),
    .bounded_i (frame_bounded),
    .valid_o   (removed_push),
    .sum_o     (removed_pushed)
  );
  gw_fifo #(.Width(17), .DepthLog2(6)) u_removed_sums (
    .clk_i, .rst_ni,
    .s_valid_i(removed_push), .s_ready_o(removed_room), .s_data_i(removed_pushed),
    .m_valid_o(removed_valid), .m_ready_i(verdict_push), .m_data_o(removed)
  );

  // 4. Verdict of candidates, once stream and frame are whole.
  wire         done_valid, done_room;
  wire [47:0]  done_edges;
  wire [7:0]   done_payload_at, done_protocol;
  wire [1:0]   done_head, done_tail;
  wire [11:0]  done_floats;
  wire [13:0]  done_total, done_end;
  wire         done_tag, done_tcp, done_bounded;
  wire [6:0]   done_checksum_at;
  wire [15:0]  done_ip_checksum, done_checksum;
  wire [3:0]   done_bound;
  gw_fifo #(.Width(69 + FieldBits), .DepthLog2(6)) u_done (
    .clk_i, .rst_ni,
    .s_valid_i (done),
    .s_ready_o (done_room),
    .s_data_i  ({edges, frame_floats, frame_head, frame_tail, frame_bound, frame_bounded, frame_fields}),
    .m_valid_o (done_valid),
    .m_ready_i (verdict_push),
    .m_data_o  ({done_edges, done_floats, done_head, done_tail, done_bound, done_bounded, done_payload_at,
                 done_total, done_end, done_tag, done_tcp, done_checksum_at, done_ip_checksum, done_checksum,
                 done_protocol})
  );
  wire        packs_pushed;
  wire [8:0]  last_beat_pushed;
  wire [5:0]  last_count_pushed;
  wire [2:0]  header_beats_pushed, stream_beat_pushed;
  wire [4:0]  stream_at_pushed;
  wire [13:0] length_pushed, total_pushed;
  wire [15:0] ip_checksum_pushed, checksum_pushed;
  gw_nic_tx_verdict u_verdict (
    .clk_i, .rst_ni,
    .stream_valid_i (stream_handed),
    .stream_keep_i  (stream_keep),
    .stream_last_i  (stream_push_last),
    .frame_valid_i  (done_valid),
    .payload_at_i   (done_payload_at),
    .floats_i       (done_floats),
    .head_i         (done_head),
    .tail_i         (done_tail),
    .total_i        (done_total),
    .end_i          (done_end),
    .tcp_i          (done_tcp),
    .ip_checksum_i  (done_ip_checksum),
    .checksum_i     (done_checksum),
    .protocol_i     (done_protocol),
    .removed_i      (removed),
    .valid_o        (verdict_push),
    .packs_o        (packs_pushed),
    .last_beat_o    (last_beat_pushed),
    .last_count_o   (last_count_pushed),
    .header_beats_o (header_beats_pushed),
    .stream_beat_o  (stream_beat_pushed),
    .stream_at_o    (stream_at_pushed),
    .length_o       (length_pushed),
    .total_o        (total_pushed),
    .ip_checksum_o  (ip_checksum_pushed),
    .checksum_o     (checksum_pushed)
  );

  // 5. What is known of the frames that have not finished, in their order: class, action, verdict, and which
  // are overlong. Of these at most four: three fill the original queue, another one may be leaving.
  wire        class_valid, class_room, action_valid, action_room, dropped, verdict_valid, verdict_room, packs;
  wire        overlong_valid, overlong_room;
  wire [1:0]  class_current;
  wire [3:0]  action_current;
  wire [8:0]  last_beat;
  wire [5:0]  last_count;
  wire [2:0]  header_beats, stream_beat;
  wire [7:0]  overlong_number;
  logic [7:0] number_q, current_q;  // of the frame that comes in and of the current one, modulo 256
  wire        candidate = class_current == gw_nic_tx_pkg::ClassCandidate;
  wire        overlong  = overlong_valid && overlong_number == current_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      number_q  <= '0;
      current_q <= '0;
    end else begin
      number_q  <= number_q + {7'd0, action_push};
      current_q <= current_q + {7'd0, finish};
    end
  end
  gw_fifo_head #(.Width(2), .DepthLog2(8)) u_classes (
    .clk_i, .rst_ni, .s_valid_i(class_push), .s_ready_o(class_room), .s_data_i(class_pushed),
    .m_valid_o(class_valid), .m_ready_i(finish), .m_data_o(class_current)
  );
  gw_fifo_head #(.Width(5), .DepthLog2(8)) u_actions (
    .clk_i, .rst_ni, .s_valid_i(action_push), .s_ready_o(action_room), .s_data_i({drop, action_pushed}),
    .m_valid_o(action_valid), .m_ready_i(finish), .m_data_o({dropped, action_current})
  );
  gw_fifo_head #(.Width(22), .DepthLog2(8)) u_verdicts (
    .clk_i, .rst_ni,
    .s_valid_i (verdict_push),
    .s_ready_o (verdict_room),
    .s_data_i  ({packs_pushed, last_beat_pushed, last_count_pushed, header_beats_pushed, stream_beat_pushed}),
    .m_valid_o (verdict_valid),
    .m_ready_i (finish & candidate),
    .m_data_o  ({packs, last_beat, last_count, header_beats, stream_beat})
  );
  gw_fifo #(.Width(8), .DepthLog2(2)) u_overlong (
    .clk_i, .rst_ni, .s_valid_i(overlong_push), .s_ready_o(overlong_room), .s_data_i(number_q),
    .m_valid_o(overlong_valid), .m_ready_i(finish & overlong), .m_data_o(overlong_number)
  );

  // 6. Issue, as far as the output queue has room.
  wire        issue, issue_packed, issue_last;
  wire [2:0]  issue_beat;
  wire [3:0]  action;
  logic [2:0] out_used_q;  // beats issued that have not left, at most 4
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_used_q <= '0;
    else out_used_q <= out_used_q + {2'd0, issue} - {2'd0, leave};
  end
  gw_nic_tx_issue u_issue (
    .clk_i, .rst_ni,
    .credit_i         (~out_used_q[2]),
    .class_valid_i    (class_valid),
    .class_i          (class_current),
    .action_valid_i   (action_valid),
    .action_i         (action_current),
    .drop_i           (dropped),
    .overlong_i       (overlong),
    .verdict_valid_i  (verdict_valid),
    .packs_i          (packs),
    .last_beat_i      (last_beat),
    .header_beats_i   (header_beats),
    .stream_beat_i    (stream_beat),
    .original_valid_i (original_valid),
    .original_last_i  (original_last),
    .original_pop_o   (original_pop),
    .stream_valid_i   (stream_valid),
    .stream_last_i    (stream_last),
    .stream_pop_o     (stream_pop),
    .issue_o          (issue),
    .packed_o         (issue_packed),
    .beat_o           (issue_beat),
    .last_o           (issue_last),
    .finish_o         (finish),
    .action_o         (action)
  );
  wire [5:0] issue_count = !issue_packed ? original_count : issue_last ? last_count : 6'd32;

  // 7. Put together, one cycle later, with the new fields of the frame's headers: these go one cycle after
  // the frame does.
  logic         merge_q, merge_packed_q, merge_last_q, merge_user_q, merge_stream_q, finished_q;
  logic [2:0]   merge_beat_q;
  logic [5:0]   merge_count_q;
  logic [255:0] merge_original_q, merge_data_q;
  always_ff @(posedge clk_i) begin
    merge_q    <= issue & rst_ni;
    finished_q <= finish & candidate & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    if (issue) begin
      merge_packed_q   <= issue_packed;
      merge_last_q     <= issue_last;
      merge_user_q     <= original_user & ~issue_packed;
      merge_stream_q   <= stream_pop;
      merge_beat_q     <= issue_beat;
      merge_count_q    <= issue_count;
      merge_original_q <= original_data;
      merge_data_q     <= stream_data;
    end
  end
  wire        fields_valid, new_tag, new_bounded;
  wire [7:0]  new_payload_at, new_protocol;
  wire [6:0]  new_checksum_at;
  wire [4:0]  new_stream_at;
  wire [13:0] new_total, new_length;
  wire [15:0] new_ip_checksum, new_checksum;
  wire [3:0]  new_bound;
  wire [1:0]  new_head;
  wire [47:0] new_edges;
  gw_nic_tx_queue #(.Width(144), .DepthLog2(8)) u_fields (
    .clk_i, .rst_ni,
    .push_i  (verdict_push),
    .data_i  ({done_edges, done_payload_at, done_tag, done_checksum_at, stream_at_pushed, total_pushed,
               done_protocol, ip_checksum_pushed, checksum_pushed, done_bounded, done_bound, done_head,
               length_pushed}),
    .valid_o (fields_valid),
    .pop_i   (finished_q),
    .data_o  ({new_edges, new_payload_at, new_tag, new_checksum_at, new_stream_at, new_total, new_protocol,
               new_ip_checksum, new_checksum, new_bounded, new_bound, new_head, new_length})
  );
  wire [255:0] merged_data;
  wire [31:0]  merged_keep;
  gw_nic_tx_merge u_merge (
    .clk_i,
    .valid_i       (merge_q),
    .original_i    (merge_original_q),
    .stream_i      (merge_data_q),
    .has_stream_i  (merge_stream_q),
    .count_i       (merge_count_q),
    .packed_i      (merge_packed_q),
    .beat_i        (merge_beat_q),
    .payload_at_i  (new_payload_at),
    .tag_i         (new_tag),
    .checksum_at_i (new_checksum_at),
    .stream_at_i   (new_stream_at),
    .total_i       (new_total),
    .protocol_i    (new_protocol),
    .ip_checksum_i (new_ip_checksum),
    .checksum_i    (new_checksum),
    .bounded_i     (new_bounded),
    .bound_i       (new_bound),
    .head_i        (new_head),
    .length_i      (new_length),
    .edges_i       (new_edges),
    .data_o        (merged_data),
    .keep_o        (merged_keep)
  );
  wire out_room;
  gw_fifo_head #(.Width(290), .DepthLog2(2)) u_out (
    .clk_i, .rst_ni,
    .s_valid_i (merge_q),
    .s_ready_o (out_room),
    .s_data_i  ({merge_user_q, merge_last_q, merged_keep, merged_data}),
    .m_valid_o (m_axis_tvalid),
    .m_ready_i (leave),
    .m_data_o  ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  // Statistics. Bytes are added up as beats go, and are counted with their frame: all of its beats have gone
  // then.
  logic [31:0] bytes_in_q, bytes_out_q;
  wire  [31:0] bytes_in  = bytes_in_q + {26'd0, original_count & {6{original_pop}}};
  wire  [31:0] bytes_out = bytes_out_q + {26'd0, issue_count & {6{issue}}};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bytes_in_q  <= '0;
      bytes_out_q <= '0;
    end else begin
      bytes_in_q  <= bytes_in;
      bytes_out_q <= bytes_out;
    end
  end
  for (genvar i = 0; i < gw_nic_tx_pkg::Actions; i++) begin : gen_stat
    logic [31:0] count_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= '0;
      else if (finish && action == 4'(i)) count_q <= count_q + 32'd1;
    end
    assign stat_o[32*i +: 32] = count_q;
  end
  logic [31:0] stat_in_q, stat_out_q, stat_evicted_q, stat_forgotten_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stat_in_q        <= '0;
      stat_out_q       <= '0;
      stat_evicted_q   <= '0;
      stat_forgotten_q <= '0;
    end else begin
      if (finish) stat_in_q  <= bytes_in;
      if (finish) stat_out_q <= bytes_out;
      if (evicted) stat_evicted_q <= stat_evicted_q + 32'd1;
      if (forgotten) stat_forgotten_q <= stat_forgotten_q + 32'd1;
    end
  end
  assign stat_o[19*32-1:15*32] = {stat_forgotten_q, stat_evicted_q, stat_out_q, stat_in_q};

  `GW_ASSERT(BeatsFindRoom, !accept || beat_room)
  `GW_ASSERT(ClassesFindRoom, !class_push || (frame_room && class_room))
  `GW_ASSERT(ActionsFindRoom, !action_push || action_room)
  `GW_ASSERT(CandidatesFindRoom, (!done || done_room) && (!removed_push || removed_room))
  `GW_ASSERT(VerdictsFindRoom, !verdict_push || (verdict_room && removed_valid))
  `GW_ASSERT(OverlongFindRoom, !overlong_push || overlong_room)
  `GW_ASSERT(FieldsAreThere, !(merge_q && merge_packed_q) || fields_valid)
  `GW_ASSERT(IssuedFindRoom, !merge_q || out_room)
endmodule

`default_nettype wire
