// Patience of a port that waits: after each time-out it sends again or asks, after the sixteenth it gives up.
// Each output is 1 in the cycle in which time is out.
// Ring allreduce in the NIC (NTT); rule Timer of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_ring_timer (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [19:0] timeout_i,   // cycles, stable
  input  wire logic        waits_i,
  input  wire logic        progress_i,
  input  wire logic        unacked_i,   // there is something to send again
  output logic             expired_o,
  output logic             dead_o,
  output logic             back_o,
  output logic             ask_o
);
  logic [19:0] timer_q, last_q;
  logic [4:0]  tries_q;
  always_ff @(posedge clk_i) last_q <= timeout_i - 20'd1;  // no reset: a pin's

  wire last  = timer_q >= last_q;
  wire rests = ~waits_i | progress_i;
  wire final_try = tries_q == 5'(gw_ring_pkg::MostTries - 1);
  assign expired_o = ~rests & last;
  assign dead_o    = expired_o & final_try;
  assign back_o    = expired_o & ~final_try & unacked_i;
  assign ask_o     = expired_o & ~final_try & ~unacked_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rests) begin
      timer_q <= '0;
      tries_q <= '0;
    end else begin
      timer_q <= last ? 20'd0 : timer_q + 20'd1;
      if (last) tries_q <= tries_q + 5'd1;
    end
  end
endmodule

`default_nettype wire
