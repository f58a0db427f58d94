// Gives the host its results, in order.
// The first beat is issued one cycle after the start, one in each cycle with credit.
// Ring allreduce in the NIC (NTT); rule Host out of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_host_out #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        stop_i,        // an error: nothing starts
  input  wire logic [31:0] available_i,   // chunks below it are there
  input  wire logic        credit_i,      // a beat may be issued
  input  wire logic [11:0] words_i,       // of chunk giving_o
  output logic [31:0]      giving_o,      // results begun
  output logic [31:0]      given_o,       // results gone
  output logic             start_o,
  output logic             issue_o,
  output logic             last_o,
  output logic [3:0]       tail_o,        // words of the last beat, 0 for 16
  output logic [16:0]      place_o
);
  typedef enum logic {StIdle, StGiving} state_e;
  state_e     state_q;
  logic [6:0] beat_q, end_q;

  assign start_o = state_q == StIdle && !stop_i && !gw_ring_pkg::near_same(giving_o, available_i);
  assign issue_o = state_q == StGiving && credit_i;
  assign last_o  = beat_q == end_q;
  // The chunk in progress is the one that is not given yet.
  assign place_o = gw_ring_pkg::place(given_o, beat_q, SlotsLog2, BeatsLog2);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      giving_o <= First;
      given_o  <= First;
    end else begin
      if (start_o) begin
        state_q  <= StGiving;
        giving_o <= giving_o + 32'd1;
      end
      if (issue_o & last_o) begin
        state_q <= StIdle;
        given_o <= given_o + 32'd1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_o) begin
      beat_q <= '0;
      end_q  <= gw_ring_pkg::last_beat(words_i);
      tail_o <= words_i[3:0];
    end else if (issue_o) begin
      beat_q <= beat_q + 7'd1;
    end
  end

  `GW_ASSERT(OneAtATime, giving_o == (state_q == StGiving ? given_o + 32'd1 : given_o))
endmodule

`default_nettype wire
