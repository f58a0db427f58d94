// Rows of the residual memory that have been read and not yet written, hundreds of them: holds an item back
// that would read one.
// Combinational, from two bits of memory a row that are read while the item's beat arrives; one start and one
// write a cycle.
// docs/devices/onebit.md, start, condition 3; gw_mx_in_flight compares with each row in flight, of which it
// knows at most 15.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// A row is in flight if its two bits differ: one is turned when an item that keeps a residual starts, the
// other when its residual is written, so that each has one writer. What the input queue's beats have read is
// kept up to date there; what lies after the payload is never looked at.
module gw_onebit_in_flight #(
  parameter int Rows = 8192,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               zero_i,          // zeroing, a row a cycle
  input  wire logic [RowBits-1:0] zero_row_i,
  // The input queue of gw_quant_items.
  input  wire logic               accept_i,
  input  wire logic               accept_last_i,
  input  wire logic [RowBits-1:0] arrives_row_i,   // of a beat that begins a packet
  input  wire logic               head_stays_i,
  input  wire logic               next_valid_i,
  output logic [RowBits-1:0]      row_o,           // of the oldest beat, if its item keeps a residual
  output logic                    conflict_o,
  output logic                    turn_o,          // its bit from the start on: comes back with the write
  input  wire logic               start_i,         // it starts and keeps a residual; not while conflict_o
  // from the cycle after the next one on, the row is not in flight
  input  wire logic               write_i,
  input  wire logic [RowBits-1:0] write_row_i,
  input  wire logic               write_turn_i
);
  // Each beat's row, as if all were payload.
  logic               inside_q;
  logic [RowBits-1:0] run_q, head_row_q, next_row_q;
  wire  [RowBits-1:0] arrives_row = inside_q ? run_q : arrives_row_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)       inside_q <= 1'b0;
    else if (accept_i) inside_q <= ~accept_last_i;
  end
  always_ff @(posedge clk_i) begin
    if (accept_i) run_q <= arrives_row + {{(RowBits - 1){1'b0}}, 1'b1};
    if (!head_stays_i) head_row_q <= next_valid_i ? next_row_q : arrives_row;
    if (!next_valid_i) next_row_q <= arrives_row;
  end
  assign row_o = head_row_q;

  // The two bits. A start is written a cycle late: those of the cycle in which a beat is read and of the one
  // before turn what was read.
  logic               set_q, set_turn_q;
  logic [RowBits-1:0] set_row_q;
  (* ram_style = "block" *) logic started_memory [0:Rows-1];
  (* ram_style = "block" *) logic written_memory [0:Rows-1];
  logic started_q, written_q, turned_q, fresh_q;
  wire               started      = set_q | zero_i;
  wire               written      = write_i | zero_i;
  wire [RowBits-1:0] started_row  = zero_i ? zero_row_i : set_row_q;
  wire [RowBits-1:0] written_row  = zero_i ? zero_row_i : write_row_i;
  wire               started_turn = set_turn_q & ~zero_i;
  wire               written_turn = write_turn_i & ~zero_i;
  always_ff @(posedge clk_i) begin
    if (started) started_memory[started_row] <= started_turn;
    if (accept_i) started_q <= started_memory[arrives_row];
  end
  always_ff @(posedge clk_i) begin
    if (written) written_memory[written_row] <= written_turn;
    if (accept_i) written_q <= written_memory[arrives_row];
  end
  wire turns_before = set_q & set_row_q == arrives_row;
  wire turns_now    = start_i & head_row_q == arrives_row;
  always_ff @(posedge clk_i) turned_q <= turns_before | turns_now;

  // What the beats in the queue know. The one that has just come is the younger one.
  logic head_conflict_q, head_turn_q, next_conflict_q, next_turn_q;
  logic               clear_q, clear_turn_q;
  logic [RowBits-1:0] clear_row_q;
  wire fresh_conflict = started_q ^ written_q ^ turned_q;
  wire head_fresh     = fresh_q & ~next_valid_i;
  wire head_conflict  = head_fresh ? fresh_conflict : head_conflict_q;
  wire head_turn      = head_fresh ? written_q : head_turn_q;
  wire next_conflict  = fresh_q ? fresh_conflict : next_conflict_q;
  wire next_turn      = fresh_q ? written_q : next_turn_q;
  wire head_clear     = clear_q & clear_row_q == head_row_q;
  wire next_clear     = clear_q & clear_row_q == next_row_q;
  wire next_set       = start_i & next_row_q == head_row_q;
  wire next_in_flight = (next_conflict & ~next_clear) | next_set;
  wire next_turned    = next_clear ? clear_turn_q : next_turn;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      set_q   <= 1'b0;
      clear_q <= 1'b0;
      fresh_q <= 1'b0;
    end else begin
      set_q   <= start_i;
      clear_q <= write_i;
      fresh_q <= accept_i;
    end
  end
  always_ff @(posedge clk_i) begin
    set_row_q       <= head_row_q;
    set_turn_q      <= turn_o;
    clear_row_q     <= write_row_i;
    clear_turn_q    <= write_turn_i;
    next_conflict_q <= next_in_flight;
    next_turn_q     <= next_turned;
    head_conflict_q <= head_stays_i ? head_conflict & ~head_clear : next_in_flight;
    head_turn_q     <= head_stays_i ? (head_clear ? clear_turn_q : head_turn) : next_turned;
  end
  assign conflict_o = head_conflict;
  assign turn_o     = ~head_turn;

  `GW_ASSERT(StartsOnlyIfNotInFlight, !start_i || !conflict_o)
  `GW_ASSERT(NoneBegunWhileZeroing, !zero_i || !(set_q || write_i))
  `GW_COVER(StartsWhileItsRowArrives, accept_i && turns_now)
  `GW_COVER(StartedBeforeItsRowArrives, accept_i && turns_before)
  `GW_COVER(StartsBeforeTheNextOfItsRow, next_valid_i && next_set)
  `GW_COVER(BecomesFreeInTheQueue, head_stays_i && head_conflict && head_clear)
  `GW_COVER(BecomesFreeBehindTheHead, next_valid_i && next_conflict && next_clear)
endmodule

`default_nettype wire
