// Beats become items: chunks are cut and filled up to the announced number of values, what is missing is
// told, what is too much dropped.
// Input queue of two beats; an item starts in the cycle in which its beat is the queue's oldest, one a cycle.
// gw_mx has its own.
// docs/devices/mx.md, input queue, items, start.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// All that a device says of a chunk it says while the first beat is accepted: its settings, which come back
// with each item, whether the chunk leaves as RAW whatever its rows are, and whether it has to fit the rows.
// The rows that may be looked for in the next cycle are told a cycle ahead, so that a device can compare them
// with those in flight.
module gw_quant_items #(
  parameter int Rows = 8192,
  parameter int Settings = 1,  // bits
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [255:0]        s_axis_tdata,
  input  wire logic [31:0]         s_axis_tkeep,
  input  wire logic                s_axis_tvalid,
  output logic                     s_axis_tready,
  input  wire logic                s_axis_tlast,
  input  wire logic [52:0]         s_axis_tuser,
  input  wire logic                open_i,        // the residual memory is zeroed at the end of this cycle
  // The chunk whose first beat is offered.
  input  wire logic [Settings-1:0] settings_i,
  input  wire logic                keeps_i,       // residuals are on
  input  wire logic                raw_i,         // leaves as RAW in any case (n = 0 does so by itself)
  input  wire logic                bound_i,       // leaves as RAW if it does not fit the rows
  // The item that is offered, from here on until it starts; all but valid_o are don't-care without it.
  output logic                     valid_o,
  // room, credit, no conflict: a function of the item and of the user's registers
  input  wire logic                may_start_i,
  output logic                     start_o,       // valid_o & may_start_i
  output logic                     first_o,       // of its chunk
  output logic                     last_o,        // the chunk's last payload item; don't-care of a tail
  output logic                     final_o,       // the chunk's last item of all, which carries the status
  output logic                     filler_o,      // a payload item without a beat
  output logic                     tail_o,        // no payload item
  output logic                     raw_o,
  // reads and writes its row: residuals on, not RAW, not a filler, not a tail
  output logic                     residual_o,
  output logic [Settings-1:0]      settings_o,
  output logic [19:0]              n_o,
  output logic [3:0]               count_o,       // values of a payload item that are below n: 0 (n = 0) to 8
  output logic [7:0]               here_o,        // those of them that came
  output logic [2:1]               status_o,      // counts with final_o
  output logic [255:0]             data_o,
  output logic [RowBits-1:0]       row_o,         // its own row
  output logic [RowBits-1:0]       first_row_o,   // its chunk's
  output logic                     row_exists_o,  // its chunk's first row is below Rows
  // Candidates of the next cycle: the item now offered goes on being so if nothing starts; the next one of
  // its chunk has row_o + 1; a chunk's first one has the row of the beat that is then the oldest: the oldest
  // now (head_stays_o), else the one after it (next_valid_o), else the one that arrives.
  output logic                     head_stays_o,
  output logic [RowBits-1:0]       head_row_o,
  output logic                     next_valid_o,
  output logic [RowBits-1:0]       next_row_o,
  output logic [RowBits-1:0]       arrives_row_o
);
  // What the first beat says of the chunk, and how much of a beat came, is worked out on arrival.
  wire        accept   = s_axis_tvalid & s_axis_tready;
  wire [19:0] n_in     = s_axis_tuser[51:32];
  wire [23:0] row_in   = s_axis_tuser[23:0];
  wire [20:0] rounded  = {1'b0, n_in} + 21'd7;
  wire        empty_in = n_in == 20'd0;
  wire [17:0] items_in = {rounded[20:4], rounded[3] | empty_in};
  wire        beyond   = {1'b0, row_in} + {7'd0, rounded[20:3]} > 25'(Rows);
  wire        raw_in   = empty_in | raw_i | (bound_i & beyond);
  wire        exists   = {1'b0, row_in} < 25'(Rows);
  wire [8:0]  came_in  = gw_mx_pkg::arrived(s_axis_tkeep) | {1'b0, {8{~s_axis_tlast}}};
  assign arrives_row_o = row_in[RowBits-1:0];
  wire unused = ^{s_axis_tuser[31:24], rounded[2:0]};

  localparam int Width = RowBits + Settings + 20 + 18 + 4 + 1 + 1 + 9 + 256;
  wire [Width-1:0] beat_in = {row_in[RowBits-1:0], settings_i, n_in, items_in, items_in == 18'd1, exists,
                              raw_in, keeps_i & ~raw_in,
                              s_axis_tuser[52], s_axis_tlast, came_in[8] & s_axis_tlast, came_in[7:0],
                                s_axis_tdata};

  // Input queue.
  logic             head_valid_q, next_valid_q, opened_q, take;
  logic [Width-1:0] head_q, next_q;
  wire stays = head_valid_q & ~take;
  wire two   = next_valid_q | accept;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_valid_q  <= 1'b0;
      next_valid_q  <= 1'b0;
      opened_q      <= 1'b0;
      s_axis_tready <= 1'b0;
    end else begin
      head_valid_q  <= stays | two;
      next_valid_q  <= stays & two;
      opened_q      <= opened_q | open_i;
      s_axis_tready <= (opened_q | open_i) & ~(stays & two);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!stays) head_q <= next_valid_q ? next_q : beat_in;
    if (!next_valid_q) next_q <= beat_in;
  end
  assign head_stays_o = stays;
  assign next_valid_o = next_valid_q;
  assign next_row_o   = next_q[Width-1 -: RowBits];

  wire [Settings-1:0] head_settings;
  wire [19:0]         head_n;
  wire [17:0]         head_items;
  wire [7:0]          head_whole;
  wire                head_one, head_exists, head_raw, head_keeps, head_user, head_last, head_part;
  assign {head_row_o, head_settings, head_n, head_items, head_one, head_exists, head_raw, head_keeps,
          head_user, head_last, head_part,
          head_whole, data_o} = head_q;
  wire unused_items = head_items[17];

  // The chunk under way.
  logic                active_q, surplus_q, exact_q;  // exact: no surplus beat has been taken
  logic                ended_q, error_q;              // the tlast beat was taken, and its error
  logic                last_q;                        // one payload item is left
  logic [16:0]         left_q;                        // payload items less one
  logic [19:0]         n_q;
  logic [RowBits-1:0]  row_q, first_row_q;
  logic [Settings-1:0] settings_q;
  logic                raw_q, keeps_q, exists_q;

  assign first_o      = ~active_q;
  assign n_o          = first_o ? head_n : n_q;
  assign raw_o        = first_o ? head_raw : raw_q;
  assign settings_o   = first_o ? head_settings : settings_q;
  assign row_exists_o = first_o ? head_exists : exists_q;
  assign last_o       = first_o ? head_one : last_q;
  assign row_o        = first_o ? head_row_o : row_q;
  assign first_row_o  = first_o ? head_row_o : first_row_q;
  wire   keeps        = first_o ? head_keeps : keeps_q;
  assign tail_o       = surplus_q;
  assign filler_o     = active_q & ended_q & ~surplus_q;
  assign residual_o   = keeps & ~filler_o & ~surplus_q;

  wire empty = n_o == 20'd0;
  wire [7:0] wanted = last_o ? gw_mx_pkg::first_of(n_o[2:0]) & {8{~empty}} : 8'hFF;
  assign count_o = last_o ? {n_o[2:0] == 3'd0 & ~empty, n_o[2:0]} : 4'd8;
  assign here_o  = wanted & head_whole & {8{~filler_o & ~surplus_q}};

  assign valid_o = surplus_q ? head_valid_q & head_last : head_valid_q | filler_o;
  assign start_o = valid_o & may_start_i;
  assign take    = surplus_q ? head_valid_q & (may_start_i | ~head_last) : start_o & ~filler_o;
  assign final_o = surplus_q | (last_o & (filler_o | head_last));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      surplus_q <= 1'b0;
      ended_q   <= 1'b0;
    end else if (start_o) begin
      active_q  <= ~final_o;
      surplus_q <= last_o & ~final_o & ~surplus_q;
      ended_q   <= (filler_o | head_last) & ~final_o;
    end
  end
  // 2^17 items are one less than a field holds
  wire [16:0] left = first_o ? head_items[16:0] - 17'd1 : left_q;
  always_ff @(posedge clk_i) begin
    if (start_o) begin
      n_q         <= n_o;
      raw_q       <= raw_o;
      settings_q  <= settings_o;
      exists_q    <= row_exists_o;
      keeps_q     <= keeps;
      row_q       <= row_o + {{(RowBits - 1){1'b0}}, 1'b1};
      first_row_q <= first_row_o;
      left_q      <= left - 17'd1;
      last_q      <= left == 17'd1;
      if (!filler_o) error_q <= head_user;
    end
    exact_q <= ~surplus_q | (exact_q & ~take);
  end

  wire agrees = ~empty & ~filler_o & ~head_part &
                (surplus_q ? exact_q & head_whole == 8'd0 & n_o[2:0] == 3'd0 : head_whole == wanted);
  assign status_o = {filler_o ? error_q : head_user, ~agrees};

  `GW_ASSERT(NextOnlyBehindHead, head_valid_q || !next_valid_q)
  `GW_ASSERT(NeverThree, !(s_axis_tready && next_valid_q))
  `GW_ASSERT(FillerHasNoBeat, !(take && filler_o))
  `GW_ASSERT(RawKeepsNothing, !(valid_o && raw_o && residual_o))
  `GW_COVER(Filler, start_o && filler_o)
  `GW_COVER(FillerEndsChunk, start_o && filler_o && final_o)
  `GW_COVER(SurplusIsDropped, take && !start_o)
  `GW_COVER(TailOfAnExactChunk, start_o && surplus_q && agrees)
  `GW_COVER(Waits, valid_o && !may_start_i)
  `GW_COVER(RawForWantOfRows, start_o && first_o && raw_o && !empty)
  `GW_COVER(EmptyWithSurplus, start_o && empty && !final_o)
endmodule

`default_nettype wire
