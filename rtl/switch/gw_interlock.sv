// Holds a frame back while a sum that it would read is still in the adders.
// Combinational from the beat that is offered; looks AddLatency cycles back.
// Gradient Aggregation (IEICE'21) section 5.2; the hazard of docs/devices/aggregator.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// A row is read at the edge that issues its beat and written AddLatency + 2 edges later. Payload beats are
// beats 2 to 5 of their frame, and beat k cannot be issued sooner than k cycles after its frame's first one:
// so only first beats wait, and a beat that lies far back in its frame holds others up for less.
module gw_interlock #(
  parameter int SlotBits = 10,
  parameter int AddLatency = 5
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                candidate_i,  // the beat offered belongs to a frame that reads its slot
  input  wire logic [2:0]          index_i,      // of that beat in its frame; 6: after the payload
  input  wire logic [SlotBits-1:0] slot_i,
  input  wire logic                payload_i,    // it carries values, and reads a row
  input  wire logic                issue_i,      // it goes in; not while hazard_o
  output logic                     hazard_o
);
  localparam int A = AddLatency;

  // Payload beats that went in j cycles ago.
  logic [A:1]          valid_q;
  logic [2:0]          index_q [1:A];
  logic [SlotBits-1:0] slot_q  [1:A];
  logic [A:1]          conflict;
  for (genvar j = 1; j <= A; j++) begin : gen_conflict
    assign conflict[j] = valid_q[j] && slot_q[j] == slot_i && {29'd0, index_q[j]} + j <= A + 2;
  end
  assign hazard_o = candidate_i && index_i == 3'd0 && |conflict;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q[1] <= issue_i && payload_i;
      for (int j = 2; j <= A; j++) valid_q[j] <= valid_q[j-1];
    end
  end
  always_ff @(posedge clk_i) begin
    index_q[1] <= index_i;
    slot_q[1]  <= slot_i;
    for (int j = 2; j <= A; j++) begin
      index_q[j] <= index_q[j-1];
      slot_q[j]  <= slot_q[j-1];
    end
  end
endmodule

`default_nettype wire
