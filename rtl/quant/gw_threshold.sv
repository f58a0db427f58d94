// Chunks of binary32 gradients in, packets of those that reach a threshold out: whole (WGT), +-T (BGT), +-m T
// (QGT); with residuals or without.
// Latency 17 cycles from the beat that completes an output beat, one beat a cycle.
// Thresholded gradient synchronisation (Anoosheh et al.), listing (a)-(c); ports and cycle contract:
// docs/devices/threshold.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_threshold #(
  parameter int Rows = 8192
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [1:0]   method_i,
  input  wire logic         coding_i,
  input  wire logic [31:0]  threshold_i,
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
  initial if (Rows < 8 || Rows > 262144) $fatal(1, "gw_threshold: Rows must be 8 to 262144");
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3;
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // Items. Of WGT the coding is mask.
  wire rice_in = coding_i & method_i[1];
  wire legal   = gw_threshold_pkg::legal(threshold_i);
  wire raw_in  = method_i == 2'd0 | ~legal;
  logic               open, start, first, last, final_item, tail, raw, residual, exists, head_stays,
    next_valid;
  logic [25:0]        settings;
  logic [19:0]        n;
  logic [3:0]         count;
  logic [7:0]         here;
  logic [2:1]         status;
  logic [255:0]       data;
  logic [RowBits-1:0] row, first_row, head_row, next_row, arrives_row;
  logic               credit, row_conflict, k_conflict, unused_valid, unused_filler;
  wire rice      = settings[23] & ~raw;
  wire leaves    = last & ~tail & ~raw & exists;  // a k
  wire may_start = credit & ~(residual & row_conflict) & ~(first & rice & k_conflict);
  gw_quant_items #(.Rows(Rows), .Settings(26)) u_items (
    .clk_i, .rst_ni, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast,
    .s_axis_tuser,
    .open_i        (open),
    .settings_i    ({method_i, rice_in, threshold_i[30:8]}),
    .keeps_i       (residual_i),
    .raw_i         (raw_in),
    .bound_i       (residual_i | rice_in),
    .valid_o       (unused_valid),
    .may_start_i   (may_start),
    .start_o       (start),
    .first_o       (first),
    .last_o        (last),
    .final_o       (final_item),
    .filler_o      (unused_filler),
    .tail_o        (tail),
    .raw_o         (raw),
    .residual_o    (residual),
    .settings_o    (settings),
    .n_o           (n),
    .count_o       (count),
    .here_o        (here),
    .status_o      (status),
    .data_o        (data),
    .row_o         (row),
    .first_row_o   (first_row),
    .row_exists_o  (exists),
    .head_stays_o  (head_stays),
    .head_row_o    (head_row),
    .next_valid_o  (next_valid),
    .next_row_o    (next_row),
    .arrives_row_o (arrives_row)
  );

  logic [RowBits-1:0] write_row, k_write_row;
  gw_threshold_in_flight #(.RowBits(RowBits)) u_in_flight (
    .clk_i, .rst_ni,
    .head_stays_i  (head_stays),
    .head_row_i    (head_row),
    .next_valid_i  (next_valid),
    .next_row_i    (next_row),
    .arrives_row_i (arrives_row),
    .first_i       (first),
    .row_i         (row),
    .start_i       (start),
    .conflict_o    (row_conflict),
    .enters_row_i  (row),
    .enters_i      (start & residual),
    .row_o         (write_row)
  );
  gw_threshold_in_flight #(.RowBits(RowBits), .Tap(15), .Runs(1'b0)) u_k_in_flight (
    .clk_i, .rst_ni,
    .head_stays_i  (head_stays),
    .head_row_i    (head_row),
    .next_valid_i  (next_valid),
    .next_row_i    (next_row),
    .arrives_row_i (arrives_row),
    .first_i       (first),
    .row_i         (row),
    .start_i       (start),
    .conflict_o    (k_conflict),
    .enters_row_i  (first_row),
    .enters_i      (start & leaves),
    .row_o         (k_write_row)
  );

  // What goes along with an item: stage j is j cycles after its start.
  typedef struct packed {
    logic        leaves;     // a k
    logic        last;       // payload item
    logic        error;      // status bits 2 and 1
    logic        disagrees;
    logic        payload;
    logic [3:0]  count;
    logic        first;
    logic        is_final;
    logic [1:0]  method;
    logic        rice;
    logic [19:0] n;
    logic [22:0] threshold;
  } item_t;
  localparam int ItemBits = 9 + 5 + 20 + 23;
  localparam int Depth = 14;
  logic [ItemBits-1:0] item_q [1:Depth];
  logic [18:1] valid_q;
  logic [7:0]  write_q [1:18];
  always_ff @(posedge clk_i) valid_q <= {valid_q[17:1], start} & {18{rst_ni}};
  always_ff @(posedge clk_i) begin
    item_q[1] <= {leaves, last & ~tail, status, ~tail, count, first, final_item, settings[25:24] & {2{~raw}},
                  rice, n, settings[22:0]};
    for (int j = 2; j <= Depth; j++) item_q[j] <= item_q[j-1];
    write_q[1] <= here & {8{residual}};
    for (int j = 2; j <= 18; j++) write_q[j] <= write_q[j-1];
  end

  // 0 to 7: v, and whether something was not finite.
  logic [255:0]       v, remainder;
  logic               zeroing, spoils;
  logic [RowBits-1:0] zero_row;
  gw_threshold_rows #(.Rows(Rows)) u_rows (
    .clk_i, .rst_ni,
    .zeroing_o    (zeroing),
    .zero_row_o   (zero_row),
    .open_o       (open),
    .row_i        (row),
    .data_i       (data),
    .here_i       (here),
    .raw_i        (raw),
    .residual_i   (residual),
    .v_o          (v),
    .spoils_o     (spoils),
    .write_i      (write_q[18] & {8{valid_q[18]}}),
    .write_row_i  (write_row),
    .write_data_i (remainder)
  );
  item_t item7;
  assign item7 = item_q[7];
  wire unused_item7 = ^{item7.leaves, item7.last, item7.error, item7.disagrees, item7.payload, item7.is_final,
                        item7.rice,
                        item7.n};
  logic [14:8] spoilt_q;
  always_ff @(posedge clk_i) begin
    if (valid_q[7]) spoilt_q[8] <= (spoilt_q[8] & ~item7.first) | spoils;
    spoilt_q[14:9] <= spoilt_q[13:8];
  end

  // 7 to 8: what is sent; to 12: m; to 18: what is left.
  logic [7:0]   sent, sign;
  logic [255:0] value;
  logic [63:0]  m;
  gw_threshold_values u_values (
    .clk_i,
    .v_i         (v),
    .threshold_i (item7.threshold),
    .method_i    (item7.method),
    .count_i     (item7.count),
    .sent_o      (sent),
    .sign_o      (sign),
    .whole_o     (value),
    .m_o         (m),
    .remainder_o (remainder)
  );

  // 8 to 11: where each bit goes.
  item_t item8;
  assign item8 = item_q[8];
  wire unused_item8 = ^{item8.error, item8.disagrees, item8.is_final, item8.threshold};
  logic [3:0] k_now, k9;
  logic [3:0] k_q [2:8];
  gw_threshold_k #(.Rows(Rows)) u_k (
    .clk_i, .rst_ni,
    .zeroing_i   (zeroing),
    .zero_row_i  (zero_row),
    .row_i       (first_row),
    .k_o         (k_now),
    .valid_i     (valid_q[8] & item8.payload),
    .first_i     (item8.first),
    .leaves_i    (item8.leaves),
    .sent_i      (sent),
    .n_i         (item8.n),
    .write_row_i (k_write_row)
  );
  always_ff @(posedge clk_i) begin
    k_q[2] <= k_now;
    for (int j = 3; j <= 8; j++) k_q[j] <= k_q[j-1];
  end

  logic [34:0]  head;
  logic [127:0] bits;
  logic [14:0]  closing;
  logic [55:0]  place, hole;
  logic [6:0]   closing_place;
  logic [27:0]  length;
  logic         full;
  gw_threshold_code u_code (
    .clk_i, .rst_ni,
    .take_i          (1'b1),
    .valid_i         (valid_q[8] & item8.payload),
    .first_i         (item8.first),
    .last_i          (item8.last),
    .method_i        (item8.method),
    .rice_i          (item8.rice),
    .count_i         (item8.count),
    .sent_i          (sent),
    .sign_i          (sign),
    .k_i             (k_q[8]),
    .k_o             (k9),
    .head_o          (head),
    .bits_o          (bits),
    .closing_o       (closing),
    .place_o         (place),
    .closing_place_o (closing_place),
    .hole_o          (hole),
    .length_o        (length),
    .full_o          (full)
  );

  // 11 to 14: the vector.
  logic [8:0]   vector_length;
  logic [7:0]   lower_length;
  logic [143:0] lower;
  logic [127:0] upper;
  logic [15:0]  excess;
  gw_threshold_pack u_pack (
    .clk_i,
    .head_i          (head),
    .bits_i          (bits),
    .closing_i       (closing),
    .place_i         (place),
    .closing_place_i (closing_place),
    .hole_i          (hole),
    .length_i        (length),
    .full_i          (full),
    .value_i         (value),
    .m_i             (m),
    .length_o        (vector_length),
    .lower_length_o  (lower_length),
    .lower_o         (lower),
    .upper_o         (upper),
    .excess_o        (excess)
  );

  // 13 to 15: its place, and the merge.
  item_t item13, item14;
  assign item13 = item_q[13];
  assign item14 = item_q[14];
  wire unused_item13 = ^{item13.leaves, item13.error, item13.disagrees, item13.payload, item13.count,
                         item13.first,
                         item13.method, item13.rice, item13.n, item13.threshold};
  wire unused_item14 = ^{item14.leaves, item14.last, item14.payload, item14.count, item14.is_final};
  wire         is_raw14 = item14.method == 2'd0;
  logic [3:0]  k_later_q [10:14];
  always_ff @(posedge clk_i) begin
    k_later_q[10] <= k9;
    for (int j = 11; j <= 14; j++) k_later_q[j] <= k_later_q[j-1];
  end
  wire [4:0]   coding14 = ({1'b0, k_later_q[14]} + 5'd1) & {5{item14.rice}};
  wire [31:0]  level14  = {1'b0, item14.threshold, 8'd0} & {32{~is_raw14}};
  wire [127:0] header   = {32'd0, level14, 12'd0, item14.n, 16'd0, 3'd0, coding14, 6'd0, item14.method};

  logic         merge, first_valid, first_last, second_valid, second_last;
  logic [1:0]   first_user, second_user;
  logic [255:0] first_data, second_data;
  logic [4:0]   first_pad, second_pad;
  gw_threshold_merge #(.UserBits(2)) u_merge (
    .clk_i, .rst_ni,
    .valid_i        (valid_q[13]),
    .length_i       (vector_length),
    .lower_length_i (lower_length),
    .ends_bits_i    (item13.last),
    .last_i         (item13.is_final),
    .first_i        (item14.first),
    .lower_i        (lower),
    .upper_i        (upper),
    .excess_i       (excess),
    .status_i       ({item14.error, item14.disagrees, spoilt_q[14]}),
    .user_i         ({is_raw14, item14.error}),
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

  gw_quant_egress u_egress (
    .clk_i, .rst_ni,
    .spend_i        (start),
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

  `GW_ASSERT(MergesInTime, merge == valid_q[15])
  `GW_ASSERT(ResidualsAreOfItems, !(start && residual) || !tail)
  `GW_COVER(WaitsForItsRow, residual && row_conflict && credit)
  `GW_COVER(WaitsForItsK, first && rice && k_conflict && credit)
endmodule

`default_nettype wire
