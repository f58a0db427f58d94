// One port of the ring: receives the neighbour's frames, sends ours, repeats them until they have arrived.
// Latencies of its parts; every output counts as docs/devices/ring_nic.md says.
// Ring allreduce in the NIC (NTT); rules of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_port #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter bit          Right = 1'b0,  // AGG goes out and BCAST comes in; on the left it is the other way
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         present_i,       // there is a neighbour
  input  wire logic [7:0]   node_i,
  input  wire logic [7:0]   neighbour_i,
  input  wire logic [7:0]   addends_in_i,
  input  wire logic [7:0]   addends_out_i,
  input  wire logic [15:0]  session_i,
  input  wire logic [19:0]  timeout_i,
  input  wire logic         stop_i,          // an error: nothing starts
  input  wire logic [31:0]  limit_i,         // left: there is room for chunks below it
  input  wire logic [31:0]  ready_i,         // chunks below it can be sent
  input  wire logic         hold_i,          // chunk next_o has no credit of the ring
  input  wire logic [31:0]  loaded_i,        // left: chunks below it are here
  // Frames in, payload to its bank.
  input  wire logic [511:0] s_axis_tdata,
  input  wire logic [63:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic              write_o,
  output logic [16:0]       write_place_o,
  output logic [511:0]      write_data_o,
  output logic              taken_o,         // chunk expect_o of words_o words is in
  output logic [11:0]       words_o,
  output logic [31:0]       expect_o,
  // Frames out, payload from its bank.
  output logic [31:0]       next_o,
  input  wire logic [11:0]  next_words_i,    // of chunk next_o
  output logic              send_o,          // the header of chunk next_o is issued
  output logic              read_o,
  output logic [16:0]       read_place_o,
  input  wire logic [511:0] read_data_i,     // two cycles later
  output logic [511:0]      m_axis_tdata,
  output logic [63:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  // To the rest of the node.
  output logic [31:0]       base_o,          // chunks below it are acknowledged and not being sent
  output logic              dead_o,          // errors, in the cycle in which they are found
  output logic              broken_o,
  output logic [gw_ring_pkg::PortStats-1:0] events_o  // to be counted
);
  localparam logic [7:0] TypeIn  = Right ? gw_ring_pkg::TypeBcast : gw_ring_pkg::TypeAgg;
  localparam logic [7:0] TypeOut = Right ? gw_ring_pkg::TypeAgg : gw_ring_pkg::TypeBcast;

  // 1. In. On the right there is room for the results of what was sent.
  wire [31:0] top;
  logic       bad, foreign, control, duplicate, gap, no_room, ack_valid, answer;
  logic [31:0] ack;
  gw_ring_receive #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .Type(TypeIn), .First(First)) u_receive (
    .clk_i, .rst_ni, .present_i, .session_i,
    .addends_i   (addends_in_i),
    .bound_i     (Right ? top : limit_i),
    .data_i      (s_axis_tdata),
    .keep_i      (s_axis_tkeep),
    .valid_i     (s_axis_tvalid),
    .last_i      (s_axis_tlast),
    .user_i      (s_axis_tuser),
    .write_o,
    .place_o     (write_place_o),
    .data_o      (write_data_o),
    .expect_o, .words_o,
    .bad_o       (bad),
    .foreign_o   (foreign),
    .control_o   (control),
    .taken_o,
    .duplicate_o (duplicate),
    .gap_o       (gap),
    .no_room_o   (no_room),
    .ack_valid_o (ack_valid),
    .ack_o       (ack),
    .answer_o    (answer)
  );

  // 2. Numbers of what is sent, and time.
  logic        again, unacked, progress, beyond, sending, expired, back, ask;
  logic [31:0] sending_chunk;
  gw_ring_numbers #(.First(First)) u_numbers (
    .clk_i, .rst_ni,
    .send_i          (send_o),
    .sending_i       (sending),
    .sending_chunk_i (sending_chunk),
    .ack_valid_i     (ack_valid),
    .ack_i           (ack),
    .back_i          (back),
    .next_o,
    .top_o           (top),
    .again_o         (again),
    .unacked_o       (unacked),
    .progress_o      (progress),
    .beyond_o        (beyond),
    .base_o
  );
  wire lacks = Right ? !gw_ring_pkg::near_same(top, expect_o) : gw_ring_pkg::near_below(expect_o, loaded_i);
  wire waits = present_i & (unacked | lacks);
  gw_ring_timer u_timer (
    .clk_i, .rst_ni, .timeout_i,
    .waits_i    (waits),
    .progress_i (progress),
    .unacked_i  (unacked),
    .expired_o  (expired),
    .dead_o,
    .back_o     (back),
    .ask_o      (ask)
  );

  // 3. Out.
  logic        credit, issue, header, asks, last;
  logic [3:0]  tail;
  logic [511:0] header_data;
  gw_ring_sender #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2)) u_sender (
    .clk_i, .rst_ni,
    .open_i    (present_i & ~stop_i),
    .credit_i  (credit),
    .chunk_i   (!gw_ring_pkg::near_same(next_o, ready_i) && !hold_i),
    .next_i    (next_o),
    .words_i   (next_words_i),
    .taken_i   (taken_o),
    .answer_i  (ack_valid & answer),
    .ask_i     (ask),
    .issue_o   (issue),
    .header_o  (header),
    .data_o    (send_o),
    .asks_o    (asks),
    .last_o    (last),
    .tail_o    (tail),
    .place_o   (read_place_o),
    .sending_o (sending),
    .chunk_o   (sending_chunk)
  );
  assign read_o = issue & ~header;
  gw_ring_header #(.Type(TypeOut)) u_header (
    .clk_i,
    .from_i    (node_i),
    .to_i      (neighbour_i),
    .session_i,
    .addends_i (addends_out_i),
    .issue_i   (header),
    .data_i    (send_o),
    .asks_i    (asks),
    .words_i   (next_words_i),
    .chunk_i   (next_o),
    .ack_i     (expect_o),
    .header_o  (header_data)
  );
  gw_ring_egress u_egress (
    .clk_i, .rst_ni,
    .issue_i       (issue),
    .header_i      (header),
    .last_i        (last),
    .tail_i        (tail),
    .credit_o      (credit),
    .header_data_i (header_data),
    .bank_data_i   (read_data_i),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast
  );

  // 4. What others must know.
  assign broken_o = no_room | beyond;
  assign events_o[gw_ring_pkg::StatData]      = send_o;
  assign events_o[gw_ring_pkg::StatAgain]     = send_o & again;
  assign events_o[gw_ring_pkg::StatControl]   = header & ~send_o;
  assign events_o[gw_ring_pkg::StatTaken]     = taken_o;
  assign events_o[gw_ring_pkg::StatCame]      = control;
  assign events_o[gw_ring_pkg::StatBad]       = bad;
  assign events_o[gw_ring_pkg::StatForeign]   = foreign;
  assign events_o[gw_ring_pkg::StatDuplicate] = duplicate;
  assign events_o[gw_ring_pkg::StatGap]       = gap;
  assign events_o[gw_ring_pkg::StatTimeout]   = expired;

  if (Right) begin : gen_right
    wire unused = ^{limit_i, loaded_i};
    `GW_ASSERT(TakesWhatWasSent, !gw_ring_pkg::below(top, expect_o))
  end else begin : gen_left
    `GW_ASSERT(TakesWhereRoomIs, !gw_ring_pkg::below(limit_i, expect_o))
  end
  `GW_ASSERT(NearEnough, !present_i || gw_ring_pkg::near_same(next_o, ready_i) == (next_o == ready_i))
  `GW_ASSERT(SendsWhatIsReady, !present_i || !gw_ring_pkg::below(ready_i, next_o))
endmodule

`default_nettype wire
