// Go-back-N of what a port sends: the next chunk, the highest so far, the ack, and what nobody needs now.
// Everything counts one cycle later.
// Ring allreduce in the NIC (NTT); rules Ack, Next and Limits (base) of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_numbers #(
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        send_i,       // the header of chunk next_o is issued
  input  wire logic        sending_i,    // a chunk's frame is in progress
  input  wire logic [31:0] sending_chunk_i,
  input  wire logic        ack_valid_i,  // a good frame came
  input  wire logic [31:0] ack_i,
  input  wire logic        back_i,       // a time-out goes back
  output logic [31:0]      next_o,
  output logic [31:0]      top_o,
  output logic             again_o,      // chunk next_o was sent before
  output logic             unacked_o,    // something is to be acknowledged
  output logic             progress_o,
  output logic             beyond_o,     // the ack is of what was not sent
  output logic [31:0]      base_o        // chunks below it are acknowledged, and none of them is being sent
);
  logic [31:0] acked_q;
  wire above   = gw_ring_pkg::below(acked_q, ack_i);
  wire beyond  = gw_ring_pkg::below(top_o, ack_i);
  wire advance = ack_valid_i & above & ~beyond;
  assign again_o    = !gw_ring_pkg::near_same(next_o, top_o);
  assign unacked_o  = !gw_ring_pkg::near_same(top_o, acked_q);
  assign progress_o = advance | (ack_valid_i & ~unacked_o);
  assign beyond_o   = ack_valid_i & beyond;
  wire holds = sending_i && gw_ring_pkg::near_below(sending_chunk_i, acked_q);
  assign base_o     = holds ? sending_chunk_i : acked_q;

  wire [31:0] after = next_o + 32'd1;
  wire        skips = gw_ring_pkg::below(next_o, ack_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_o  <= First;
      top_o   <= First;
      acked_q <= First;
    end else begin
      if (back_i) next_o <= acked_q;
      else if (advance & skips) next_o <= ack_i;
      else if (send_i) next_o <= after;
      if (send_i & ~again_o) top_o <= after;
      if (advance) acked_q <= ack_i;
    end
  end

  `GW_ASSERT(AckedNextTop, !gw_ring_pkg::below(next_o, acked_q) && !gw_ring_pkg::below(top_o, next_o))
  `GW_ASSERT(NearEnough, again_o == (next_o != top_o) && unacked_o == (top_o != acked_q))
  `GW_ASSERT(BackWithoutProgress, !(back_i && advance))
endmodule

`default_nettype wire
