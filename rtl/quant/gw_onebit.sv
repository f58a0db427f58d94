// Chunks of binary32 gradients in, packets of their signs and of two means a chunk out, with residuals or
// without.
// A chunk of B beats begins to be popped B + 32 cycles after its first beat, one beat a cycle.
// Dryden et al. (MLHPC'16) section 3.2, after Seide et al.; ports and cycle contract: docs/devices/onebit.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_onebit #(
  parameter int Rows = 8192
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic         residual_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [52:0]  s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [31:0]       raw_count_o,
  output logic [31:0]       error_count_o
);
  initial if (Rows < 8 || Rows > 262144) $fatal(1, "gw_onebit: Rows must be 8 to 262144");
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3;
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // Items, and whether one may start.
  logic               open, valid, start, first, last, final_, filler, tail, raw, residual, settings,
    row_exists, head_stays, next_valid;
  logic               room, chunk_room, conflict, turn;
  logic [19:0]        n;
  logic [3:0]         count;
  logic [7:0]         here;
  logic [2:1]         status;
  logic [255:0]       data;
  logic [RowBits-1:0] item_row, first_row, head_row, next_row, arrives_row, row;
  wire too_long  = s_axis_tuser[51:45] != 7'd0 | (s_axis_tuser[44] & s_axis_tuser[43:32] != 12'd0);
  wire may_start = room & (chunk_room | ~first) & ~(residual & conflict);
  gw_quant_items #(.Rows(Rows)) u_items (
    .clk_i, .rst_ni, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast,
    .s_axis_tuser,
    .open_i        (open),
    .settings_i    (1'b0),
    .keeps_i       (residual_i),
    .raw_i         (too_long),
    .bound_i       (residual_i),
    .valid_o       (valid),
    .may_start_i   (may_start),
    .start_o       (start),
    .first_o       (first),
    .last_o        (last),
    .final_o       (final_),
    .filler_o      (filler),
    .tail_o        (tail),
    .raw_o         (raw),
    .residual_o    (residual),
    .settings_o    (settings),
    .n_o           (n),
    .count_o       (count),
    .here_o        (here),
    .status_o      (status),
    .data_o        (data),
    .row_o         (item_row),
    .first_row_o   (first_row),
    .row_exists_o  (row_exists),
    .head_stays_o  (head_stays),
    .head_row_o    (head_row),
    .next_valid_o  (next_valid),
    .next_row_o    (next_row),
    .arrives_row_o (arrives_row)
  );
  wire unused = ^{valid, filler, settings, item_row, first_row, row_exists, head_row, next_row};

  logic               zero, write, write_turn;
  logic [7:0]         write_lanes;
  logic [RowBits-1:0] zero_row, write_row;
  logic [255:0]       write_data;
  gw_onebit_in_flight #(.Rows(Rows)) u_in_flight (
    .clk_i, .rst_ni,
    .zero_i        (zero),
    .zero_row_i    (zero_row),
    .accept_i      (s_axis_tvalid & s_axis_tready),
    .accept_last_i (s_axis_tlast),
    .arrives_row_i (arrives_row),
    .head_stays_i  (head_stays),
    .next_valid_i  (next_valid),
    .row_o         (row),
    .conflict_o    (conflict),
    .turn_o        (turn),
    .start_i       (start & residual),
    .write_i       (write),
    .write_row_i   (write_row),
    .write_turn_i  (write_turn)
  );

  // Six cycles later: v.
  localparam int ItemBits = 10 + RowBits;
  logic [ItemBits-1:0] summed_item;
  logic                summed_valid, bad, overflow;
  logic [7:0]          summed_here;
  logic [255:0]        value;
  gw_onebit_rows #(.Rows(Rows), .ItemBits(ItemBits)) u_rows (
    .clk_i, .rst_ni,
    .zero_o       (zero),
    .zero_row_o   (zero_row),
    .open_o       (open),
    .start_i      (start),
    .raw_i        (raw),
    .residual_i   (residual),
    .item_i       ({raw, tail, first, last, count, residual, turn, row}),
    .here_i       (here),
    .data_i       (data),
    .row_i        (row),
    .valid_o      (summed_valid),
    .item_o       (summed_item),
    .here_o       (summed_here),
    .bad_o        (bad),
    .overflow_o   (overflow),
    .value_o      (value),
    .write_i      (write_lanes),
    .write_row_i  (write_row),
    .write_data_i (write_data)
  );
  wire               summed_raw, summed_tail, summed_first, summed_last, summed_residual, summed_turn;
  wire [3:0]         summed_count;
  wire [RowBits-1:0] summed_row;
  assign {summed_raw, summed_tail, summed_first, summed_last, summed_count, summed_residual, summed_turn,
          summed_row} = summed_item;

  // What of a chunk was not finite: of RAW as its items know it, of others what its sums say.
  logic raw_spoilt_q;
  wire  raw_spoilt = (raw_spoilt_q & ~summed_first) | bad;
  always_ff @(posedge aclk) if (summed_valid) raw_spoilt_q <= raw_spoilt;

  // Seven: to the sums, eight: the signs.
  localparam int WordBits = 256 + 1 + RowBits;
  logic                payload7_q, first7_q, last7_q, spoilt7_q, residual7_q, turn7_q, valid7_q, valid8_q,
    residual8_q, turn8_q;
  logic [3:0]          count7_q;
  logic [7:0]          here7_q, here8_q, signs8;
  logic [WordBits-1:0] word7;
  always_ff @(posedge aclk) begin
    payload7_q <= summed_valid & ~summed_raw & ~summed_tail & aresetn;
    valid7_q   <= summed_valid & aresetn;
    valid8_q   <= valid7_q & aresetn;
  end
  always_ff @(posedge aclk) begin
    first7_q    <= summed_first;
    last7_q     <= summed_last;
    spoilt7_q   <= bad | overflow;
    count7_q    <= summed_count;
    here7_q     <= summed_here;
    residual7_q <= summed_residual;
    turn7_q     <= summed_turn;
    here8_q     <= here7_q;
    residual8_q <= residual7_q;
    turn8_q     <= turn7_q;
  end
  logic         done, done_spoilt;
  logic [103:0] sums;
  logic [25:0]  numbers;
  gw_onebit_sums u_sums (
    .clk_i, .rst_ni,
    .valid_i   (payload7_q),
    .first_i   (first7_q),
    .last_i    (last7_q),
    .spoilt_i  (spoilt7_q),
    .count_i   (count7_q),
    .value_i   (word7[255:0]),
    .signs_o   (signs8),
    .done_o    (done),
    .spoilt_o  (done_spoilt),
    .sums_o    (sums),
    .numbers_o (numbers)
  );

  // Thirteen: to the means, which are there at thirty.
  logic [18:1] done_q, spoilt_q;
  wire  [16:0] busy = {done_q[16:1], done};
  always_ff @(posedge aclk) done_q <= {done_q[17:1], done} & {18{aresetn}};
  always_ff @(posedge aclk) spoilt_q <= {spoilt_q[17:1], done_spoilt};
  wire unused_spoilt = spoilt_q[18];
  wire [61:0] means;
  for (genvar s = 0; s < 2; s++) begin : gen_side
    gw_onebit_mean u_mean (
      .clk_i,
      .valid_i  (busy),
      .sum_i    (sums[52*s +: 52]),
      .number_i (numbers[13*s +: 13]),
      .mean_o   (means[31*s +: 31])
    );
  end

  typedef struct packed {
    logic       residual;
    logic       turn;
    logic [7:0] here;
    logic [7:0] signs;
  } lanes_t;
  typedef struct packed {
    logic        spoilt;
    logic [61:0] means;  // negative, positive, without signs
  } result_t;
  lanes_t              popped_lanes;
  result_t             popped_result;
  logic                credit, pop, popped, popped_first, popped_raw, popped_payload, popped_last,
    popped_final;
  logic [19:0]         popped_n;
  logic [2:1]          popped_status;
  logic [WordBits-1:0] popped_word, kept_word;

  gw_onebit_buffer #(.WordBits(WordBits), .SignBits(18), .MeanBits(63)) u_buffer (
    .clk_i, .rst_ni,
    .room_o        (room),
    .chunk_room_o  (chunk_room),
    .start_i       (start),
    .first_i       (first),
    .raw_i         (raw),
    .tail_i        (tail),
    .last_i        (last),
    .final_i       (final_),
    .n_i           (n),
    .status_i      (status),
    .word_valid_i  (summed_valid),
    .word_i        ({summed_row, raw_spoilt, value}),
    .word_q        (word7),
    .signs_valid_i (valid8_q),
    .signs_i       ({residual8_q, turn8_q, here8_q, signs8}),
    .means_valid_i (done_q[17]),
    .means_i       ({spoilt_q[17], means}),
    .done_i        (done_q[18]),
    .credit_i      (credit),
    .pop_o         (pop),
    .pop_i         (1'b0),
    .pop_final_i   (1'b0),
    .popped_o      (popped),
    .first_o       (popped_first),
    .raw_o         (popped_raw),
    .payload_o     (popped_payload),
    .last_o        (popped_last),
    .final_o       (popped_final),
    .n_o           (popped_n),
    .status_o      (popped_status),
    .word_o        (popped_word),
    .kept_o        (kept_word),
    .signs_o       (popped_lanes),
    .means_o       (popped_result)
  );
  wire unused_words = ^{word7[WordBits-1:256], popped_word[WordBits-1:257], kept_word[256]};

  logic         vector_valid, vector_first, vector_last;
  logic [271:0] vector;
  logic [5:0]   vector_length;
  logic [1:0]   vector_user;
  logic [127:0] header;
  wire          popped_spoilt = popped_raw ? popped_word[256] : popped_result.spoilt;
  gw_onebit_pack #(.RowBits(RowBits)) u_pack (
    .clk_i, .rst_ni,
    .valid_i       (popped),
    .first_i       (popped_first),
    .raw_i         (popped_raw),
    .payload_i     (popped_payload),
    .last_i        (popped_last),
    .final_i       (popped_final),
    .n_i           (popped_n),
    .float_i       (popped_word[255:0]),
    .status_i      ({popped_status, popped_spoilt}),
    .signs_i       (popped_lanes.signs),
    .means_i       (popped_result.means),
    .valid_o       (vector_valid),
    .vector_o      (vector),
    .length_o      (vector_length),
    .first_o       (vector_first),
    .last_o        (vector_last),
    .user_o        (vector_user),
    .header_o      (header),
    .residual_i    (popped_lanes.residual),
    .turn_i        (popped_lanes.turn),
    .here_i        (popped_lanes.here),
    .row_i         (kept_word[257 +: RowBits]),
    .value_i       (kept_word[255:0]),
    .write_o       (write),
    .write_turn_o  (write_turn),
    .write_lanes_o (write_lanes),
    .write_row_o   (write_row),
    .write_data_o  (write_data)
  );

  logic         merge, first_valid, first_last, second_valid, second_last;
  logic [1:0]   first_user, second_user;
  logic [255:0] first_data, second_data;
  logic [4:0]   first_pad, second_pad;
  gw_alignment_unit #(.Header(1'b1), .UserBits(2)) u_alignment_unit (
    .clk_i, .rst_ni,
    .valid_i        (vector_valid),
    .vector_i       (vector),
    .length_i       (vector_length),
    .last_i         (vector_last),
    .user_i         (vector_user),
    .first_i        (vector_first),
    .header_i       (header),
    .merge_o        (merge),
    .first_valid_o  (first_valid),
    .first_data_o   (first_data),
    .first_pad_o    (first_pad),
    .first_last_o   (first_last),
    .first_user_o   (first_user),
    .second_valid_o (second_valid),
    .second_data_o  (second_data),
    .second_pad_o   (second_pad),
    .second_last_o  (second_last),
    .second_user_o  (second_user)
  );

  gw_quant_egress #(.Flushes(1'b0)) u_egress (
    .clk_i, .rst_ni,
    .spend_i        (pop),
    .credit_o       (credit),
    .merge_i        (merge),
    .first_valid_i  (first_valid),
    .first_data_i   (first_data),
    .first_pad_i    (first_pad),
    .first_last_i   (first_last),
    .first_user_i   (first_user),
    .second_valid_i (second_valid),
    .second_data_i  (second_data),
    .second_pad_i   (second_pad),
    .second_last_i  (second_last),
    .second_user_i  (second_user),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .raw_count_o, .error_count_o
  );

  `GW_COVER(WaitsForItsRow, valid && residual && conflict)
  `GW_COVER(WaitsForItsRowAlone, valid && residual && conflict && room && (chunk_room || !first))
endmodule

`default_nettype wire
