// Decides what a port sends, a chunk or a control frame that acknowledges, answers or asks; issues its beats.
// A header is issued in the cycle in which it may, a beat in each later cycle with credit.
// Ring allreduce in the NIC (NTT); rule Frame out of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_sender #(
  parameter int SlotsLog2 = 7,
  parameter int BeatsLog2 = 5
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        open_i,     // frames may start
  input  wire logic        credit_i,   // a beat may be issued
  input  wire logic        chunk_i,    // chunk next_i may be sent
  input  wire logic [31:0] next_i,
  input  wire logic [11:0] words_i,    // of chunk next_i
  input  wire logic        taken_i,    // the ack to send rises
  input  wire logic        answer_i,   // set, as ask_i, for a cycle
  input  wire logic        ask_i,
  output logic             issue_o,    // a beat is issued
  output logic             header_o,   // it is a header
  output logic             data_o,     // of a chunk
  output logic             asks_o,     // that wants an answer
  output logic             last_o,     // the frame's last beat
  output logic [3:0]       tail_o,     // words of the chunk's last beat, 0 for 16
  output logic [16:0]      place_o,    // of the beat in its bank
  output logic             sending_o,  // a chunk's frame is in progress
  output logic [31:0]      chunk_o     // which
);
  typedef enum logic {StIdle, StPayload} state_e;
  state_e      state_q;
  logic        answer_q, ask_q;
  logic        untold_q;  // the neighbour has not been told the latest ack
  logic [4:0]  idle_q;  // cycles without an issue
  logic [6:0]  beat_q, end_q;

  wire start   = open_i & credit_i & (state_q == StIdle);
  wire owes    = untold_q && idle_q == 5'(gw_ring_pkg::IdleCycles);
  wire control = answer_q | ask_q | owes;
  wire payload = credit_i & (state_q == StPayload);
  wire ends    = payload & (beat_q == end_q);
  assign data_o    = start & chunk_i;
  assign header_o  = start & (chunk_i | control);
  assign issue_o   = header_o | payload;
  assign asks_o    = ask_q;
  assign last_o    = ends | (header_o & ~chunk_i);
  assign place_o   = gw_ring_pkg::place(chunk_o, beat_q, SlotsLog2, BeatsLog2);
  assign sending_o = state_q == StPayload;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      answer_q <= 1'b0;
      ask_q    <= 1'b0;
      untold_q <= 1'b0;
      idle_q   <= 5'(gw_ring_pkg::IdleCycles);
    end else begin
      if (data_o) state_q <= StPayload;
      else if (ends) state_q <= StIdle;
      answer_q <= answer_i | (answer_q & ~header_o);
      ask_q    <= ask_i | (ask_q & ~header_o);
      untold_q <= taken_i | (untold_q & ~header_o);
      if (issue_o) idle_q <= '0;
      else if (idle_q != 5'(gw_ring_pkg::IdleCycles)) idle_q <= idle_q + 5'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (data_o) begin
      chunk_o <= next_i;
      end_q   <= gw_ring_pkg::last_beat(words_i);
      tail_o  <= words_i[3:0];
    end
    if (data_o) beat_q <= '0;
    else if (payload) beat_q <= beat_q + 7'd1;
  end

  `GW_ASSERT(IssuesWithCredit, !issue_o || credit_i)
endmodule

`default_nettype wire
