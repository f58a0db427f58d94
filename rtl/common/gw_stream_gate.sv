// Stands around a core of one stream in and one out: knows whether a packet is within, and keeps further ones
// out while it drains.
// Combinational on valid and ready; counts packets, so each that goes in must come out.
// Common cell; contract in docs/registers/README.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_stream_gate (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic drain_i,       // no further packet begins
  output logic      idle_o,        // none is within
  input  wire logic s_valid_i,     // what the source offers
  output logic      s_ready_o,
  input  wire logic s_last_i,
  output logic      core_valid_o,  // what the core sees of it
  input  wire logic core_ready_i,
  input  wire logic m_valid_i,     // what leaves the core
  input  wire logic m_ready_i,
  input  wire logic m_last_i
);
  logic       begun_q;   // the next beat is not its packet's first
  logic [9:0] within_q;  // packets; cores hold no more than some hundred beats
  wire        open   = begun_q | ~drain_i;
  wire        accept = s_valid_i & s_ready_o;
  wire        enters = accept & ~begun_q;
  wire        leaves = m_valid_i & m_ready_i & m_last_i;
  assign s_ready_o    = core_ready_i & open;
  assign core_valid_o = s_valid_i & open;
  assign idle_o       = within_q == 10'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q  <= 1'b0;
      within_q <= '0;
    end else begin
      if (accept) begun_q <= ~s_last_i;
      within_q <= within_q + {9'd0, enters} - {9'd0, leaves};
    end
  end

  `GW_ASSERT(LeavesWhatCameIn, !(leaves && idle_o))
  `GW_ASSERT(CountsAll, within_q != 10'h3FF)
endmodule

`default_nettype wire
