// NIC of a node in a chain: sums the gradients of N hosts on their way right, brings the sum back to each.
// Latency A + 8 cycles from the tlast of the later of both chunks to the sum's payload, 6 on the way back.
// Ring allreduce in the NIC (NTT); cycle contract: docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Where the contract leaves a choice:
// * Lost: cycles of silence count wherever they lie, also before the reset. A port that was silent in the
//   last 64 cycles of the reset is not lost. The history has no reset; at power-up it is not silent.
//   A frame is bad if the port is lost when its tlast comes. Silence begins no new frame, a reset does.
// * A packet from the host counts in stat_o when its tlast is accepted, as `loading` does.
// * The sixteenth time-out counts as a time-out; it does not go back or ask. Time-outs go on in error.
// * Bytes decide about a length, not beats: a last beat without a byte is legal after whole ones.
// * Counters of stat_o wrap.
// Pins `_i` are stable from reset on: what follows from node_i and nodes_i alone is registered without reset.
module gw_ring_nic #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter int          AddLatency = 5,
  parameter bit          Subnormal = 1'b1,
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic               aclk,
  input  wire logic               aresetn,
  input  wire logic [7:0]         node_i,
  input  wire logic [7:0]         nodes_i,
  input  wire logic [15:0]        session_i,
  input  wire logic [SlotsLog2:0] window_i,
  input  wire logic [19:0]        timeout_i,
  input  wire logic [511:0]       s_axis_host_tdata,
  input  wire logic [63:0]        s_axis_host_tkeep,
  input  wire logic               s_axis_host_tvalid,
  output logic                    s_axis_host_tready,
  input  wire logic               s_axis_host_tlast,
  output logic [511:0]            m_axis_host_tdata,
  output logic [63:0]             m_axis_host_tkeep,
  output logic                    m_axis_host_tvalid,
  input  wire logic               m_axis_host_tready,
  output logic                    m_axis_host_tlast,
  input  wire logic [511:0]       s_axis_left_tdata,
  input  wire logic [63:0]        s_axis_left_tkeep,
  input  wire logic               s_axis_left_tvalid,
  output logic                    s_axis_left_tready,
  input  wire logic               s_axis_left_tlast,
  input  wire logic               s_axis_left_tuser,
  output logic [511:0]            m_axis_left_tdata,
  output logic [63:0]             m_axis_left_tkeep,
  output logic                    m_axis_left_tvalid,
  input  wire logic               m_axis_left_tready,
  output logic                    m_axis_left_tlast,
  input  wire logic [511:0]       s_axis_right_tdata,
  input  wire logic [63:0]        s_axis_right_tkeep,
  input  wire logic               s_axis_right_tvalid,
  output logic                    s_axis_right_tready,
  input  wire logic               s_axis_right_tlast,
  input  wire logic               s_axis_right_tuser,
  output logic [511:0]            m_axis_right_tdata,
  output logic [63:0]             m_axis_right_tkeep,
  output logic                    m_axis_right_tvalid,
  input  wire logic               m_axis_right_tready,
  output logic                    m_axis_right_tlast,
  output logic [23*32-1:0]        stat_o,
  output logic [4:0]              error_o
);
  initial begin
    if (SlotsLog2 < 0 || SlotsLog2 > 10) $fatal(1, "gw_ring_nic: SlotsLog2 must be 0 to 10");
    if (BeatsLog2 < 0 || BeatsLog2 > 7) $fatal(1, "gw_ring_nic: BeatsLog2 must be 0 to 7");
    if (AddLatency < 1 || AddLatency > 12) $fatal(1, "gw_ring_nic: AddLatency must be 1 to 12");
  end
  localparam int PlacesLog2 = SlotsLog2 + BeatsLog2;
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // 1. Where we are in the chain.
  logic       begins_q, ends_q;  // node 0, node N-1
  logic [7:0] before_q, after_q;
  always_ff @(posedge clk_i) begin
    begins_q <= node_i == 8'd0;
    ends_q   <= node_i + 8'd1 == nodes_i;
    before_q <= node_i - 8'd1;
    after_q  <= node_i + 8'd1;
  end
  logic [gw_ring_pkg::Errors-1:0] found;
  wire stop = error_o != 5'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_o <= '0;
    else error_o <= error_o | found;
  end

  // 2. Credit.
  logic [31:0] limit, free, given, left_base, right_base, read_chunk;
  gw_ring_credit #(.SlotsLog2(SlotsLog2), .First(First)) u_credit (
    .clk_i, .rst_ni, .window_i,
    .begins_i (begins_q),
    .ends_i   (ends_q),
    .given_i  (given),
    .left_i   (left_base),
    .right_i  (right_base),
    .read_i   (read_chunk),
    .limit_o  (limit),
    .free_o   (free)
  );

  // 3. The host's chunks.
  logic         host_write, host_whole, host_accepted;
  logic [16:0]  host_place;
  logic [511:0] host_data;
  logic [11:0]  host_words;
  logic [31:0]  loaded;
  gw_ring_host_in #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .First(First)) u_host_in (
    .clk_i, .rst_ni,
    .stop_i        (stop),
    .limit_i       (limit),
    .s_axis_tdata  (s_axis_host_tdata),
    .s_axis_tkeep  (s_axis_host_tkeep),
    .s_axis_tvalid (s_axis_host_tvalid),
    .s_axis_tready (s_axis_host_tready),
    .s_axis_tlast  (s_axis_host_tlast),
    .write_o       (host_write),
    .place_o       (host_place),
    .data_o        (host_data),
    .whole_o       (host_whole),
    .words_o       (host_words),
    .loaded_o      (loaded),
    .wrong_o       (found[gw_ring_pkg::ErrorHost]),
    .accepted_o    (host_accepted)
  );

  // 4. Ports.
  logic         left_write, left_taken, left_send, left_read, left_broken;
  logic [16:0]  left_write_place, left_read_place;
  logic [511:0] left_data, result_left_data;
  logic [11:0]  left_words, left_next_words;
  logic [31:0]  left_expect, left_next;
  logic         right_write, right_taken, right_send, right_read, right_broken;
  logic [16:0]  right_write_place, right_read_place;
  logic [511:0] right_data, gradient_data, partial_data;
  logic [11:0]  right_words, right_next_words;
  logic [31:0]  right_expect, right_next, summed;
  logic [gw_ring_pkg::PortStats-1:0] left_events, right_events;
  assign s_axis_left_tready  = 1'b1;
  assign s_axis_right_tready = 1'b1;
  gw_ring_port #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .Right(1'b0), .First(First)) u_left (
    .clk_i, .rst_ni, .node_i, .session_i, .timeout_i,
    .present_i     (~begins_q),
    .neighbour_i   (before_q),
    .addends_in_i  (node_i),
    .addends_out_i (nodes_i),
    .stop_i        (stop),
    .limit_i       (limit),
    .ready_i       (ends_q ? summed : right_expect),
    .hold_i        (1'b0),
    .loaded_i      (loaded),
    .s_axis_tdata  (s_axis_left_tdata),
    .s_axis_tkeep  (s_axis_left_tkeep),
    .s_axis_tvalid (s_axis_left_tvalid),
    .s_axis_tlast  (s_axis_left_tlast),
    .s_axis_tuser  (s_axis_left_tuser),
    .write_o       (left_write),
    .write_place_o (left_write_place),
    .write_data_o  (left_data),
    .taken_o       (left_taken),
    .words_o       (left_words),
    .expect_o      (left_expect),
    .next_o        (left_next),
    .next_words_i  (left_next_words),
    .send_o        (left_send),
    .read_o        (left_read),
    .read_place_o  (left_read_place),
    .read_data_i   (result_left_data),
    .m_axis_tdata  (m_axis_left_tdata),
    .m_axis_tkeep  (m_axis_left_tkeep),
    .m_axis_tvalid (m_axis_left_tvalid),
    .m_axis_tready (m_axis_left_tready),
    .m_axis_tlast  (m_axis_left_tlast),
    .base_o        (left_base),
    .dead_o        (found[gw_ring_pkg::ErrorLeft]),
    .broken_o      (left_broken),
    .events_o      (left_events)
  );
  gw_ring_port #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .Right(1'b1), .First(First)) u_right (
    .clk_i, .rst_ni, .node_i, .session_i, .timeout_i,
    .present_i     (~ends_q),
    .neighbour_i   (after_q),
    .addends_in_i  (nodes_i),
    .addends_out_i (after_q),
    .stop_i        (stop),
    .limit_i       (limit),
    .ready_i       (begins_q ? loaded : summed),
    .hold_i        (begins_q && gw_ring_pkg::near_same(right_next, free)),
    .loaded_i      (loaded),
    .s_axis_tdata  (s_axis_right_tdata),
    .s_axis_tkeep  (s_axis_right_tkeep),
    .s_axis_tvalid (s_axis_right_tvalid),
    .s_axis_tlast  (s_axis_right_tlast),
    .s_axis_tuser  (s_axis_right_tuser),
    .write_o       (right_write),
    .write_place_o (right_write_place),
    .write_data_o  (right_data),
    .taken_o       (right_taken),
    .words_o       (right_words),
    .expect_o      (right_expect),
    .next_o        (right_next),
    .next_words_i  (right_next_words),
    .send_o        (right_send),
    .read_o        (right_read),
    .read_place_o  (right_read_place),
    .read_data_i   (begins_q ? gradient_data : partial_data),
    .m_axis_tdata  (m_axis_right_tdata),
    .m_axis_tkeep  (m_axis_right_tkeep),
    .m_axis_tvalid (m_axis_right_tvalid),
    .m_axis_tready (m_axis_right_tready),
    .m_axis_tlast  (m_axis_right_tlast),
    .base_o        (right_base),
    .dead_o        (found[gw_ring_pkg::ErrorRight]),
    .broken_o      (right_broken),
    .events_o      (right_events)
  );
  assign found[gw_ring_pkg::ErrorProtocol] = left_broken | right_broken;

  // 5. Sums.
  logic         sum_start, sum_differ, sum_read, sum_adding, sum_write;
  logic [16:0]  sum_read_place, sum_write_place;
  logic [511:0] incoming_data, sum_data;
  logic [11:0]  own_words, other_words;
  logic [31:0]  summing;
  gw_ring_sum #(
    .SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .AddLatency(AddLatency), .First(First)
  ) u_sum (
    .clk_i, .rst_ni,
    .open_i        (~begins_q & ~stop),
    .loaded_i      (loaded),
    .arrived_i     (left_expect),
    .free_i        (free),
    .own_words_i   (own_words),
    .other_words_i (other_words),
    .summing_o     (summing),
    .read_chunk_o  (read_chunk),
    .summed_o      (summed),
    .start_o       (sum_start),
    .differ_o      (sum_differ),
    .read_o        (sum_read),
    .read_place_o  (sum_read_place),
    .adding_o      (sum_adding),
    .write_o       (sum_write),
    .write_place_o (sum_write_place)
  );
  gw_ring_adder #(.AddLatency(AddLatency), .Subnormal(Subnormal)) u_adder (
    .clk_i, .rst_ni,
    .valid_i    (sum_adding),
    .sum_i      (incoming_data),
    .gradient_i (gradient_data),
    .sum_o      (sum_data)
  );

  // 6. Results for the host.
  logic         give_start, give_issue, give_last, give_credit;
  logic [3:0]   give_tail;
  logic [16:0]  give_place;
  logic [511:0] result_host_data;
  logic [11:0]  give_words;
  logic [31:0]  giving;
  gw_ring_host_out #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .First(First)) u_host_out (
    .clk_i, .rst_ni,
    .stop_i      (stop),
    .available_i (ends_q ? summed : right_expect),
    .credit_i    (give_credit),
    .words_i     (give_words),
    .giving_o    (giving),
    .given_o     (given),
    .start_o     (give_start),
    .issue_o     (give_issue),
    .last_o      (give_last),
    .tail_o      (give_tail),
    .place_o     (give_place)
  );
  gw_ring_egress u_host_egress (
    .clk_i, .rst_ni,
    .issue_i       (give_issue),
    .header_i      (1'b0),
    .last_i        (give_last),
    .tail_i        (give_tail),
    .credit_o      (give_credit),
    .header_data_i (512'd0),
    .bank_data_i   (result_host_data),
    .m_axis_tdata  (m_axis_host_tdata),
    .m_axis_tkeep  (m_axis_host_tkeep),
    .m_axis_tvalid (m_axis_host_tvalid),
    .m_axis_tready (m_axis_host_tready),
    .m_axis_tlast  (m_axis_host_tlast)
  );

  // 7. Banks. Node 0 has no sums, so its gradients have one reader, too; results have two, hence two copies.
  gw_ring_bank #(.PlacesLog2(PlacesLog2)) u_gradients (
    .clk_i,
    .write_i       (host_write),
    .write_place_i (host_place),
    .write_data_i  (host_data),
    .read_i        (begins_q ? right_read : sum_read),
    .read_place_i  (begins_q ? right_read_place : sum_read_place),
    .read_data_o   (gradient_data)
  );
  gw_ring_bank #(.PlacesLog2(PlacesLog2)) u_incoming (
    .clk_i,
    .write_i       (left_write),
    .write_place_i (left_write_place),
    .write_data_i  (left_data),
    .read_i        (sum_read),
    .read_place_i  (sum_read_place),
    .read_data_o   (incoming_data)
  );
  gw_ring_bank #(.PlacesLog2(PlacesLog2)) u_partials (
    .clk_i,
    .write_i       (sum_write & ~ends_q),
    .write_place_i (sum_write_place),
    .write_data_i  (sum_data),
    .read_i        (right_read & ~begins_q),
    .read_place_i  (right_read_place),
    .read_data_o   (partial_data)
  );
  wire         result_write = ends_q ? sum_write : right_write;
  wire [16:0]  result_place = ends_q ? sum_write_place : right_write_place;
  wire [511:0] result_data  = ends_q ? sum_data : right_data;
  gw_ring_bank #(.PlacesLog2(PlacesLog2)) u_results_left (
    .clk_i,
    .write_i       (result_write),
    .write_place_i (result_place),
    .write_data_i  (result_data),
    .read_i        (left_read),
    .read_place_i  (left_read_place),
    .read_data_o   (result_left_data)
  );
  gw_ring_bank #(.PlacesLog2(PlacesLog2)) u_results_host (
    .clk_i,
    .write_i       (result_write),
    .write_place_i (result_place),
    .write_data_i  (result_data),
    .read_i        (give_issue),
    .read_place_i  (give_place),
    .read_data_o   (result_host_data)
  );

  // 8. Lengths. What was sent is kept until its result has come: the chunk's own slot may be gone by then.
  logic [11:0] gradient_words, partial_words, sent_words, unused_incoming, unused_partial, unused_sent;
  assign right_next_words = begins_q ? gradient_words : partial_words;
  gw_ring_lengths #(.SlotsLog2(SlotsLog2)) u_gradient_lengths (
    .clk_i,
    .write_i       (host_whole),
    .write_chunk_i (loaded),
    .write_words_i (host_words),
    .chunk_i       (summing),
    .words_o       (own_words),
    .other_chunk_i (right_next),
    .other_words_o (gradient_words)
  );
  gw_ring_lengths #(.SlotsLog2(SlotsLog2)) u_incoming_lengths (
    .clk_i,
    .write_i       (left_taken),
    .write_chunk_i (left_expect),
    .write_words_i (left_words),
    .chunk_i       (summing),
    .words_o       (other_words),
    .other_chunk_i (32'd0),
    .other_words_o (unused_incoming)
  );
  gw_ring_lengths #(.SlotsLog2(SlotsLog2)) u_partial_lengths (
    .clk_i,
    .write_i       (sum_start),
    .write_chunk_i (summing),
    .write_words_i (own_words),
    .chunk_i       (right_next),
    .words_o       (partial_words),
    .other_chunk_i (32'd0),
    .other_words_o (unused_partial)
  );
  gw_ring_lengths #(.SlotsLog2(SlotsLog2)) u_sent_lengths (
    .clk_i,
    .write_i       (right_send),
    .write_chunk_i (right_next),
    .write_words_i (right_next_words),
    .chunk_i       (right_expect),
    .words_o       (sent_words),
    .other_chunk_i (32'd0),
    .other_words_o (unused_sent)
  );
  gw_ring_lengths #(.SlotsLog2(SlotsLog2)) u_result_lengths (
    .clk_i,
    .write_i       (ends_q ? sum_start : right_taken),
    .write_chunk_i (ends_q ? summing : right_expect),
    .write_words_i (ends_q ? own_words : right_words),
    .chunk_i       (left_next),
    .words_o       (left_next_words),
    .other_chunk_i (giving),
    .other_words_o (give_words)
  );
  assign found[gw_ring_pkg::ErrorLength] = sum_differ | (right_taken & right_words != sent_words);

  // 9. Statistics: of the node, of left, of right.
  gw_ring_statistics #(.Counters(gw_ring_pkg::Stats)) u_statistics (
    .clk_i, .rst_ni,
    .events_i ({right_events, left_events, sum_start, give_start, host_accepted}),
    .stat_o
  );

  // Each bank is written, and summed from, in its window of chunks.
  wire [31:0] window     = {{31-SlotsLog2{1'b0}}, window_i};
  wire [31:0] limit_from = limit - window;
  wire [31:0] free_from  = free - window;
  `GW_ASSERT(GradientsInTheirWindow, !host_write
             || (gw_ring_pkg::below(loaded, limit) && !gw_ring_pkg::below(loaded, limit_from)))
  `GW_ASSERT(IncomingInTheirWindow, !left_write
             || (gw_ring_pkg::below(left_expect, limit) && !gw_ring_pkg::below(left_expect, limit_from)))
  `GW_ASSERT(SumsInTheirWindow, !sum_read
             || (gw_ring_pkg::below(read_chunk, free) && !gw_ring_pkg::below(read_chunk, free_from)))
  `GW_ASSERT(ResultsInTheirWindow, !right_write
             || (gw_ring_pkg::below(right_expect, free) && !gw_ring_pkg::below(right_expect, free_from)))
  `GW_ASSERT(SumsWhatIsThere, !sum_start
             || (gw_ring_pkg::below(summing, loaded) && gw_ring_pkg::below(summing, left_expect)))
  wire unused = ^{left_send, unused_incoming, unused_partial, unused_sent};
endmodule

`default_nettype wire
