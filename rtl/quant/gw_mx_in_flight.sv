// Rows of the residual memory that have been read and not yet written: holds an item back that would read one
// of them.
// Combinational, from what was compared in the cycles before; a row is in flight from the cycle after its
// start to `After` cycles after its pop.
// docs/devices/mx.md, start, condition 3; gw_interlock of rtl/switch knows frames in adders only, whose
// latency is fixed.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Items are popped in the order in which they started. At most 15 are in flight: five on their way to the
// block, four in it, six after.
module gw_mx_in_flight #(
  parameter int RowBits = 13,
  parameter int Behind = 6
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  // The input queue: a beat arrives, is the next, is the head, as gw_mx_issue says. Rows are of beats that
  // begin a chunk.
  input  wire logic               arrives_i,  // and residuals are on
  input  wire logic [RowBits-1:0] arrives_row_i,
  input  wire logic               next_valid_i,
  input  wire logic [RowBits-1:0] next_row_i,
  input  wire logic               head_stays_i,
  input  wire logic [RowBits-1:0] head_row_i,
  input  wire logic               active_i,  // the item offered is not its chunk's first
  input  wire logic [RowBits-1:0] row_i,     // its row
  output logic                    conflict_o,
  input  wire logic               start_i,   // it starts and keeps a residual; not while conflict_o
  // it starts, and its chunk keeps residuals: the next one has the next row
  input  wire logic               goes_on_i,
  input  wire logic               pop_i,     // the oldest that has not been popped is
  output logic [RowBits-1:0]      row_o      // of the item popped After cycles ago, which is written now
);
  localparam int Places = 16;
  logic [3:0]         write_q, read_q;
  logic [Places-1:0]  held_q;
  logic [Behind:1]    popped_q;
  (* ram_style = "registers" *)   logic [RowBits-1:0] row_q [0:Places-1];  // all are looked at
  (* ram_style = "distributed" *) logic [RowBits-1:0] order_memory [0:Places-1];

  // Which places hold the row of the beat, or of the item, that may be offered in the next cycle. The place
  // at the pointer takes this cycle's row, whether or not its item starts: it is free else, so that nobody
  // looks.
  logic [Places-1:0]  head_match_q, next_match_q, run_match_q;
  wire  [RowBits-1:0] run_row    = row_i + {{(RowBits - 1){1'b0}}, 1'b1};
  wire  [Places-1:0]  here       = 16'd1 << write_q;
  wire  [Places-1:0]  oldest     = (16'd1 << read_q) & {Places{popped_q[Behind]}};
  wire  [Places-1:0]  next_match = (next_match_q & ~here) | (here & {Places{next_row_i == row_i}});
  wire  [Places-1:0]  head_match = (head_match_q & ~here) | (here & {Places{head_row_i == row_i}});
  always_ff @(posedge clk_i) begin
    row_q[write_q] <= row_i;
    if (head_stays_i)      head_match_q <= head_match;
    else if (next_valid_i) head_match_q <= next_match;
    if (next_valid_i)      next_match_q <= next_match;
    if (arrives_i) begin
      for (int i = 0; i < Places; i++) begin
        if (!next_valid_i && !head_stays_i)
          head_match_q[i] <= (write_q == 4'(i) ? row_i : row_q[i]) == arrives_row_i;
        if (!next_valid_i)
          next_match_q[i] <= (write_q == 4'(i) ? row_i : row_q[i]) == arrives_row_i;
      end
    end
    if (goes_on_i) begin
      for (int i = 0; i < Places; i++) run_match_q[i] <= write_q != 4'(i) && row_q[i] == run_row;
    end
  end
  // Both at once, then the choice: what chooses has the most loads.
  wire run_conflict  = (run_match_q & held_q) != {Places{1'b0}};
  wire head_conflict = (head_match_q & held_q) != {Places{1'b0}};
  assign conflict_o = active_i ? run_conflict : head_conflict;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      read_q   <= '0;
      popped_q <= '0;
      held_q   <= '0;
    end else begin
      if (start_i) write_q <= write_q + 4'd1;
      if (popped_q[Behind]) read_q <= read_q + 4'd1;
      popped_q <= {popped_q[Behind-1:1], pop_i};
      held_q   <= (held_q & ~oldest) | (here & {Places{start_i}});
    end
  end
  always_ff @(posedge clk_i) order_memory[write_q] <= row_i;
  // The write follows one cycle after the last look at the pointer.
  wire [3:0] next = read_q + {3'd0, popped_q[Behind]};
  always_ff @(posedge clk_i) row_o <= order_memory[next];

  logic [Places-1:0] equal;
  for (genvar i = 0; i < Places; i++) begin : gen_equal
    assign equal[i] = held_q[i] && row_q[i] == row_i;
  end
  `GW_ASSERT(ConflictIsWithARowInFlight, !start_i || equal == {Places{1'b0}})
  `GW_ASSERT(StartsOnlyIfNotInFlight, !start_i || !conflict_o)
  `GW_ASSERT(PlaceIsFree, !start_i || !held_q[write_q])
  `GW_ASSERT(OldestIsHeld, !popped_q[Behind] || held_q[read_q])
  `GW_COVER(RowIsInFlight, conflict_o)
  `GW_COVER(AllButOneHeld, held_q == ~(16'd1 << write_q))
endmodule

`default_nettype wire
