// Beats become items: chunks are cut and filled up to the announced number of values, what is missing is
// told, what is too much dropped.
// Input queue of two beats; an item starts in the cycle in which its beat is the queue's oldest, one a cycle.
// docs/devices/mx.md, input queue, items, start.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_mx_issue #(
  parameter int Rows = 8192,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic [1:0]         format_i,
  input  wire logic               scale_i,
  input  wire logic               residual_i,
  input  wire logic [255:0]       s_axis_tdata,
  input  wire logic [31:0]        s_axis_tkeep,
  input  wire logic               s_axis_tvalid,
  output logic                    s_axis_tready,
  input  wire logic               s_axis_tlast,
  input  wire logic [52:0]        s_axis_tuser,
  input  wire logic               open_i,       // the residual memory is zeroed at the end of this cycle
  input  wire logic               credit_i,
  output logic                    start_o,
  output logic [gw_mx_pkg::ItemBits-1:0] item_o,
  output logic [7:0]              here_o,       // values of it that came and are below n
  output logic [255:0]            data_o,
  output logic [RowBits-1:0]      row_o,
  input  wire logic               pop_i,        // an item that keeps a residual is popped
  output logic [RowBits-1:0]      write_row_o
);
  // n, row, items, there is one, n = 0, raw, e5m2, up, fp4, residual
  localparam int Fields = 20 + 24 + 18 + 7;

  // What the first beat says of the chunk, and how much of a beat came, is worked out on arrival.
  wire  accept = s_axis_tvalid & s_axis_tready;
  wire [19:0] n_in     = s_axis_tuser[51:32];
  wire [23:0] row_in   = s_axis_tuser[23:0];
  wire [20:0] rounded  = {1'b0, n_in} + 21'd7;
  wire        empty_in = n_in == 20'd0;
  wire [17:0] items_in = {rounded[20:4], rounded[3] | empty_in};
  wire        keeps_in = residual_i && Rows != 0;
  wire        beyond   = {1'b0, row_in} + {7'd0, rounded[20:3]} > 25'(Rows);
  wire [Fields-1:0] fields_in = {n_in, row_in, items_in, items_in == 18'd1, empty_in,
                                 empty_in | (&format_i) | (keeps_in & beyond),
                              format_i[1], scale_i, format_i[0], keeps_in};
  wire [8:0]   came_in = gw_mx_pkg::arrived(s_axis_tkeep) | {1'b0, {8{~s_axis_tlast}}};
  wire         part_in = came_in[8] & s_axis_tlast;
  wire [4:0]   told_in = {gw_mx_pkg::count_of(came_in[7:0]), came_in[0] & ~part_in, ~came_in[0] & ~part_in};
  logic        begins_q;  // the beat that comes begins a chunk
  wire [7:0]   wanted_in = gw_mx_pkg::first_of(n_in[2:0]) & {8{~empty_in}};
  wire [7:0]   whole_in  = came_in[7:0] & (wanted_in | {8{~begins_q | items_in != 18'd1}});
  localparam int Width = Fields + 1 + 1 + 5 + 8 + 256;
  localparam int RowAt = Width - 20 - 24;
  wire [Width-1:0] beat_in = {fields_in, s_axis_tuser[52], s_axis_tlast, told_in, whole_in, s_axis_tdata};
  wire unused = ^{s_axis_tuser[31:24], rounded[2:0]};

  // Input queue.
  logic             head_valid_q, next_valid_q, opened_q;
  logic [Width-1:0] head_q, next_q;
  logic             take;
  wire stays = head_valid_q & ~take;
  wire two   = next_valid_q | accept;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_valid_q  <= 1'b0;
      next_valid_q  <= 1'b0;
      opened_q      <= 1'b0;
      begins_q      <= 1'b1;
      s_axis_tready <= 1'b0;
    end else begin
      head_valid_q  <= stays | two;
      next_valid_q  <= stays & two;
      opened_q      <= opened_q | open_i;
      if (accept) begins_q <= s_axis_tlast;
      s_axis_tready <= (opened_q | open_i) & ~(stays & two);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!stays) head_q <= next_valid_q ? next_q : beat_in;
    if (!next_valid_q) next_q <= beat_in;
  end

  // The chunk under way.
  logic        active_q, surplus_q, exact_q;  // exact: n is not 0 and no surplus beat has been taken
  logic        ended_q, error_q;              // the tlast beat was taken, and its error
  logic        last_q;                        // one payload item is left
  logic [1:0]  place_q;                       // of the item, in its block
  logic [16:0] left_q;                        // payload items less one
  logic [19:0] n_q;
  logic [RowBits-1:0] row_q;
  logic        empty_q, raw_q, e5m2_q, up_q, fp4_q, keeps_q;

  wire        head_user, head_last, head_one, head_empty, head_raw, head_e5m2, head_up, head_fp4, head_keeps;
  wire [19:0] head_n;
  wire [23:0] head_row;
  wire [17:0] head_items;
  wire [7:0]  head_whole;              // values of it; of a chunk's first beat those below n
  wire [2:0]  head_count;              // of its values, modulo 8
  wire        head_exact, head_bare;  // some values came, or none, and no part of one
  assign {head_n, head_row, head_items, head_one, head_empty, head_raw, head_e5m2, head_up, head_fp4,
          head_keeps, head_user, head_last, head_count,
          head_exact, head_bare, head_whole, data_o} = head_q;
  wire unused_row = ^{head_row, head_items[17]};

  wire        first  = ~active_q;
  wire [19:0] n      = first ? head_n : n_q;
  wire        raw    = first ? head_raw : raw_q;
  wire        fp4    = first ? head_fp4 : fp4_q;
  wire        e5m2   = first ? head_e5m2 : e5m2_q;
  wire        up     = first ? head_up : up_q;
  wire        keeps  = first ? head_keeps & ~head_raw : keeps_q;
  wire        last   = first ? head_one : last_q;
  wire [1:0]  place  = first ? 2'd0 : place_q;
  wire        filler = active_q & ended_q & ~surplus_q;
  wire        empty  = first ? head_empty : empty_q;
  assign row_o = first ? head_row[RowBits-1:0] : row_q;

  // For an item that is not the first.
  logic [7:0] wanted_q;
  logic       past_q;  // filler or surplus
  assign here_o = head_whole & wanted_q & {8{~past_q}};

  wire residual = keeps & ~filler & ~surplus_q;
  wire conflict;
  wire go = surplus_q ? head_valid_q & head_last : (head_valid_q | filler);
  assign start_o = go & credit_i & ~(residual & conflict);
  assign take    = surplus_q ? head_valid_q & (credit_i | ~head_last) : start_o & ~filler;
  wire final_item = surplus_q | (last & (filler | head_last));

  wire [16:0] left = first ? head_items[16:0] - 17'd1 : left_q;  // 2^17 items are one less than a field holds
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      surplus_q <= 1'b0;
      ended_q   <= 1'b0;
      past_q    <= 1'b0;
      wanted_q  <= 8'hFF;
    end else if (start_o) begin
      active_q  <= ~final_item;
      surplus_q <= last & ~final_item & ~surplus_q;
      ended_q   <= (filler | head_last) & ~final_item;
      past_q    <= (filler | head_last | (last & ~surplus_q)) & ~final_item;
      wanted_q  <= left == 17'd1 & ~final_item ? gw_mx_pkg::first_of(n[2:0]) : 8'hFF;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_o) begin
      n_q     <= n;
      empty_q <= empty;
      raw_q   <= raw;
      e5m2_q  <= e5m2;
      up_q    <= up;
      fp4_q   <= fp4;
      keeps_q <= keeps;
      place_q <= place + 2'd1;
      row_q   <= row_o + {{(RowBits - 1){1'b0}}, 1'b1};
      left_q  <= left - 17'd1;
      last_q  <= left == 17'd1;
      if (!filler) error_q <= head_user;
    end
    exact_q <= surplus_q ? exact_q & ~take : ~empty;
  end

  // Bytes of the item: what its values take, the block's scale, and the status.
  wire [3:0] values = last ? {n[2:0] == 3'd0 & ~empty, n[2:0]} : 4'd8;
  wire [2:0] eights = last ? 3'd4 - {1'b0, place} : 3'd1;
  wire [5:0] bytes  = raw ? {values, 2'd0} : fp4 ? {1'b0, eights, 2'd0} : {eights, 3'd0};
  wire       opens  = ~raw & ~surplus_q & place == 2'd0;
  wire [5:0] length = (bytes & {6{~surplus_q}}) + {5'd0, opens} + {5'd0, final_item};
  wire       closes = ~raw & ~surplus_q & (last | (&place));
  wire       agrees = surplus_q ? exact_q & head_bare & n_q[2:0] == 3'd0
                                // counts of the chunk's last item
                                : head_exact & head_count == n[2:0] & ~empty & ~filler;
  assign item_o = {e5m2, up, raw, fp4, first, opens, closes, raw | surplus_q | closes, final_item,
                   filler ? error_q : head_user, ~agrees,
                   length, n, residual};

  if (Rows != 0) begin : gen_in_flight
    gw_mx_in_flight #(.RowBits(RowBits)) u_in_flight (
      .clk_i, .rst_ni,
      .arrives_i     (accept & keeps_in),
      .arrives_row_i (row_in[RowBits-1:0]),
      .next_valid_i  (next_valid_q),
      .next_row_i    (next_q[RowAt +: RowBits]),
      .head_stays_i  (stays),
      .head_row_i    (head_row[RowBits-1:0]),
      .active_i      (active_q),
      .row_i         (row_o),
      .conflict_o    (conflict),
      .start_i       (start_o & residual),
      .goes_on_i     (start_o & keeps),
      .pop_i,
      .row_o         (write_row_o)
    );
  end else begin : gen_no_rows
    assign conflict = 1'b0;
    assign write_row_o = '0;
    wire unused_pop = pop_i;
  end

  `GW_ASSERT(NextOnlyBehindHead, head_valid_q || !next_valid_q)
  `GW_ASSERT(NeverThree, !(s_axis_tready && next_valid_q))
  `GW_COVER(Filler, start_o && filler)
  `GW_COVER(FillerEndsChunk, start_o && filler && final_item)
  `GW_COVER(SurplusIsDropped, take && !start_o)
  `GW_COVER(TailOfAnExactChunk, start_o && surplus_q && agrees)
  `GW_COVER(WaitsForItsRow, go && credit_i && residual && conflict)
  `GW_COVER(RawForWantOfRows, start_o && first && raw && !empty)
  `GW_COVER(EmptyWithSurplus, start_o && empty && !final_item)
endmodule

`default_nettype wire
