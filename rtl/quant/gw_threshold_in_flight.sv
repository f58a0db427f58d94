// Rows that have been read and not yet written, where that takes a fixed time: holds an item back that would
// read one of them.
// Combinational, from what was compared in the cycles before; a row is in flight for `Cycles` cycles after
// its start.
// docs/devices/threshold.md, start, conditions 3 and 4; gw_mx_in_flight is for a time that varies.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_threshold_in_flight #(
  parameter int RowBits = 13,
  parameter int Cycles = 18,
  parameter int Tap = 18,       // row_o: of what entered so many cycles ago
  parameter bit Runs = 1'b1     // the rows of a chunk's later items are looked for, too
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  // Candidates of the next cycle, as gw_quant_items says.
  input  wire logic               head_stays_i,
  input  wire logic [RowBits-1:0] head_row_i,
  input  wire logic               next_valid_i,
  input  wire logic [RowBits-1:0] next_row_i,
  input  wire logic [RowBits-1:0] arrives_row_i,
  input  wire logic               first_i,     // the item offered is its chunk's first
  input  wire logic [RowBits-1:0] row_i,       // its row
  input  wire logic               start_i,     // it starts
  output logic                    conflict_o,
  input  wire logic [RowBits-1:0] enters_row_i,
  input  wire logic               enters_i,    // at this cycle's end; the row may come without it
  output logic [RowBits-1:0]      row_o
);
  // Place j: what entered j cycles ago. It is told now which places hold a row in the next cycle.
  logic [RowBits-1:0] row_q [1:Cycles];
  logic [Cycles:1]    held_q, head_match_q, arrives_match, next_match, head_match;
  logic [Cycles-1:1]  next_match_q;
  always_ff @(posedge clk_i) begin
    row_q[1] <= enters_row_i;
    for (int j = 2; j <= Cycles; j++) row_q[j] <= row_q[j-1];
    held_q <= {held_q[Cycles-1:1], enters_i} & {Cycles{rst_ni}};
  end
  assign row_o = row_q[Tap];

  assign arrives_match[1] = arrives_row_i == enters_row_i;
  for (genvar j = 2; j <= Cycles; j++) begin : gen_place
    assign arrives_match[j] = arrives_row_i == row_q[j-1];
  end
  assign next_match = {next_match_q, next_row_i == enters_row_i};
  assign head_match = {head_match_q[Cycles-1:1], head_row_i == enters_row_i};
  always_ff @(posedge clk_i) begin
    head_match_q <= head_stays_i ? head_match : next_valid_i ? next_match : arrives_match;
    next_match_q <= next_valid_i ? next_match[Cycles-1:1] : arrives_match[Cycles-1:1];
  end

  if (Runs) begin : gen_runs
    // The next row differs from this one's, which enters now, if one does.
    wire  [RowBits-1:0] run_row = row_i + {{(RowBits - 1){1'b0}}, 1'b1};
    logic [Cycles:1]    run_match_q;
    wire  [Cycles:1]    run_match;
    assign run_match[1] = 1'b0;
    for (genvar j = 2; j <= Cycles; j++) begin : gen_place
      assign run_match[j] = run_row == row_q[j-1];
    end
    always_ff @(posedge clk_i) run_match_q <= start_i ? run_match : {run_match_q[Cycles-1:1], 1'b0};
    assign conflict_o = ((first_i ? head_match_q : run_match_q) & held_q) != {Cycles{1'b0}};
  end else begin : gen_first_only
    assign conflict_o = (head_match_q & held_q) != {Cycles{1'b0}};
    wire unused = ^{first_i, start_i};
  end

  wire [Cycles:1] equal;
  for (genvar j = 1; j <= Cycles; j++) begin : gen_equal
    assign equal[j] = held_q[j] && row_q[j] == row_i;
  end
  wire looks = first_i | Runs;
  `GW_ASSERT(NoConflictIsNone, !start_i || !looks || conflict_o || equal == {Cycles{1'b0}})
  `GW_ASSERT(ConflictIsOne, !start_i || !looks || !conflict_o || equal != {Cycles{1'b0}})
  `GW_COVER(OldestIsInFlight, conflict_o && equal[Cycles])
  `GW_COVER(YoungestIsInFlight, conflict_o && equal[1])
endmodule

`default_nettype wire
