// Chunks of binary32 gradients in, packets of about the largest 2^-p of each sign out, which stand for two
// means a chunk; with residuals or without.
// A chunk of B beats begins to be popped B + 101 cycles after its first beat, one beat a cycle from 64 beats
// a chunk on.
// Dryden et al. (MLHPC'16) section 3.3; ports and cycle contract: docs/devices/adaptive.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_adaptive #(
  parameter int Rows = 8192
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [3:0]   p_i,
  input  wire logic         coding_i,
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
  initial if (Rows < 64 || Rows > 262144) $fatal(1, "gw_adaptive: Rows must be 64 to 262144");
  localparam int RowBits = $clog2(Rows);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // Items, and whether one may start.
  logic               open, valid, start, first, last, final_, filler, tail, raw, residual, row_exists,
    head_stays, next_valid;
  logic               room, chunk_room, histogram_room, conflict, turn;
  logic [4:0]         settings;
  logic [19:0]        n;
  logic [3:0]         count;
  logic [7:0]         here;
  logic [2:1]         status;
  logic [255:0]       data;
  logic [RowBits-1:0] item_row, first_row, head_row, next_row, arrives_row, row;
  wire too_long  = s_axis_tuser[51:45] != 7'd0 | (s_axis_tuser[44] & s_axis_tuser[43:32] != 12'd0);
  wire illegal   = p_i == 4'd0 | p_i > 4'd10;
  wire may_start = room & ((chunk_room & (histogram_room | raw)) | ~first) & ~(residual & conflict);
  gw_quant_items #(.Rows(Rows), .Settings(5)) u_items (
    .clk_i, .rst_ni, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast,
    .s_axis_tuser,
    .open_i        (open),
    .settings_i    ({p_i, coding_i}),
    .keeps_i       (residual_i),
    .raw_i         (too_long | illegal),
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
  wire unused = ^{valid, filler, item_row, first_row, row_exists, head_row, next_row};

  logic               zero, write_turn;
  logic [7:0]         write_lanes;
  logic [RowBits-1:0] zero_row, write_row;
  logic [255:0]       write_data;
  logic [2:1]         cleared_q, cleared_turn_q;
  logic [RowBits-1:0] cleared_row1_q, cleared_row2_q;
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
    .write_i       (cleared_q[2]),
    .write_row_i   (cleared_row2_q),
    .write_turn_i  (cleared_turn_q[2])
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

  // What of a chunk was not finite: of RAW as its items know it, of others what its scan says.
  logic raw_spoilt_q;
  wire  raw_spoilt = (raw_spoilt_q & ~summed_first) | bad;
  always_ff @(posedge aclk) if (summed_valid) raw_spoilt_q <= raw_spoilt;

  // Seven, eight: bins, which are counted and kept beside the values.
  localparam int WordBits = 256 + 1 + RowBits;
  localparam int LaneBits = 106;
  logic                payload7_q, first7_q, last7_q, spoilt7_q, residual7_q, turn7_q, valid7_q;
  logic                payload8_q, first8_q, last8_q, spoilt8_q, residual8_q, turn8_q, valid8_q;
  logic [3:0]          count7_q;
  logic [7:0]          here7_q, here8_q, some8_q, sign8_q, positive8_q, negative8_q;
  logic [79:0]         bin8_q;
  logic [39:0]         larger8_q;
  logic [WordBits-1:0] word7;
  wire  [7:0]          below7 = 8'hFF >> (4'd8 - count7_q);
  always_ff @(posedge aclk) begin
    payload7_q <= summed_valid & ~summed_raw & ~summed_tail & aresetn;
    valid7_q   <= summed_valid & aresetn;
    payload8_q <= payload7_q & aresetn;
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
    first8_q    <= first7_q;
    last8_q     <= last7_q;
    spoilt8_q   <= spoilt7_q;
    here8_q     <= here7_q;
    residual8_q <= residual7_q;
    turn8_q     <= turn7_q;
  end
  for (genvar i = 0; i < 8; i++) begin : gen_bin
    wire [31:0] v = word7[32*i +: 32];
    wire        nothing = v[30:0] == 31'd0;
    always_ff @(posedge aclk) begin
      if (payload7_q) begin
        some8_q[i]       <= ~nothing & below7[i];
        bin8_q[10*i +: 10] <= v[30:21];
        sign8_q[i]       <= v[31];
        positive8_q[i]   <= below7[i] & (~v[31] | nothing);
        negative8_q[i]   <= below7[i] & v[31] & ~nothing;
      end
    end
  end

  // Lanes at or above n hold zeros.
  for (genvar i = 0; i < 4; i++) begin : gen_larger
    always_ff @(posedge clk_i) if (payload7_q) larger8_q[10*i +: 10] <=
        gw_adaptive_pkg::larger(word7[64*i + 21 +: 10], word7[64*i + 53 +: 10]);
  end

  logic        bank, scan, scan_bank, done, done_spoilt;
  logic [8:0]  scan_even, scan_odd;
  logic [51:0] bin_counts;
  logic [3:0]  k;
  logic [19:0] from;
  logic [61:0] means;
  gw_adaptive_histogram u_histogram (
    .clk_i, .rst_ni,
    .valid_i     (payload8_q),
    .bank_i      (bank),
    .some_i      (some8_q),
    .negative_i  (sign8_q),
    .bin_i       (bin8_q),
    .scan_i      (scan),
    .scan_bank_i (scan_bank),
    .scan_even_i (scan_even),
    .scan_odd_i  (scan_odd),
    .counts_o    (bin_counts)
  );
  gw_adaptive_scan u_scan (
    .clk_i, .rst_ni,
    .room_o      (histogram_room),
    .begin_i     (start & first & ~raw),
    .p_i         (settings[4:1]),
    .n_i         (n[12:0]),
    .valid_i     (payload8_q),
    .first_i     (first8_q),
    .last_i      (last8_q),
    .spoilt_i    (spoilt8_q),
    .positive_i  (positive8_q),
    .negative_i  (negative8_q),
    .larger_i    (larger8_q),
    .bank_o      (bank),
    .scan_o      (scan),
    .scan_bank_o (scan_bank),
    .scan_even_o (scan_even),
    .scan_odd_o  (scan_odd),
    .counts_i    (bin_counts),
    .done_o      (done),
    .spoilt_o    (done_spoilt),
    .k_o         (k),
    .from_o      (from),
    .means_o     (means)
  );

  // The buffer, and an item that has been taken out of it up to its pop: what it is; what of it is sent; how
  // that is coded.
  typedef struct packed {  // gen_bin's values, a step later
    logic        residual;
    logic        turn;
    logic [7:0]  here;
    logic [7:0]  some;           // not zero, below n
    logic [7:0]  sign;
    logic [79:0] bin_indices;    // 8 x 10
  } lanes_t;
  typedef struct packed {  // what the scan says of a chunk
    logic        spoilt;
    logic [3:0]  k;
    logic [9:0]  from_negative;  // the last bin that is sent
    logic [9:0]  from_positive;
    logic [30:0] mean_negative;  // without its sign
    logic [30:0] mean_positive;
  } result_t;
  localparam int ResultBits = 1 + 4 + 20 + 62;
  lanes_t                front_lanes;
  result_t               front_result;
  logic                  credit, ahead, pop, popped_q, front_raw, front_payload, front_last, front_final,
    front_first, unused_front;
  logic                  front_valid_q, sent_valid_q, coded_valid_q;
  logic [20:0]           front_n;
  logic [2:1]            front_status;
  logic [WordBits-1:0]   popped_word, kept_word;
  logic [1:0]            coded_ends;  // {popped item, its chunk's last one}
  gw_onebit_buffer #(.WordBits(WordBits), .SignBits(LaneBits), .MeanBits(ResultBits), .ChunkBits(21),
                     .Ahead(1'b1)) u_buffer (
    .clk_i, .rst_ni,
    .room_o        (room),
    .chunk_room_o  (chunk_room),
    .start_i       (start),
    .first_i       (first),
    .raw_i         (raw),
    .tail_i        (tail),
    .last_i        (last),
    .final_i       (final_),
    .n_i           ({settings[0], n}),
    .status_i      (status),
    .word_valid_i  (summed_valid),
    .word_i        ({summed_row, raw_spoilt, value}),
    .word_q        (word7),
    .signs_valid_i (valid8_q),
    .signs_i       ({residual8_q, turn8_q, here8_q, some8_q, sign8_q, bin8_q}),
    .means_valid_i (done),
    .means_i       ({done_spoilt, k, from, means}),
    .done_i        (done),
    .credit_i      (~front_valid_q | ~sent_valid_q | ~coded_valid_q | credit),
    .pop_o         (ahead),
    .pop_i         (coded_ends[1]),
    .pop_final_i   (coded_ends[0]),
    .popped_o      (unused_front),
    .first_o       (front_first),
    .raw_o         (front_raw),
    .payload_o     (front_payload),
    .last_o        (front_last),
    .final_o       (front_final),
    .n_o           (front_n),
    .status_o      (front_status),
    .word_o        (popped_word),
    .kept_o        (kept_word),
    .signs_o       (front_lanes),
    .means_o       (front_result)
  );
  wire unused_words = ^{word7[WordBits-1:256], popped_word[WordBits-1:257], kept_word[256], unused_front};

  wire codes  = ~coded_valid_q | pop;   // there is room for another one that is coded
  wire sends  = ~sent_valid_q | codes;
  assign pop  = coded_valid_q & credit;
  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      front_valid_q <= 1'b0;
      sent_valid_q  <= 1'b0;
      coded_valid_q <= 1'b0;
      popped_q      <= 1'b0;
    end else begin
      front_valid_q <= ahead | (front_valid_q & ~sends);
      sent_valid_q  <= sends ? front_valid_q : sent_valid_q;
      coded_valid_q <= codes ? sent_valid_q : coded_valid_q;
      popped_q      <= pop;
    end
  end

  // What is sent. The item after RAW's payload is its last one, too.
  wire       front_floats = front_raw & (front_last | ~front_final);
  wire       front_empty  = front_n[19:0] == 20'd0;
  wire [3:0] front_count  = front_last ? {front_n[2:0] == 3'd0 & ~front_empty, front_n[2:0]} : 4'd8;
  wire [7:0] front_below  = 8'hFF >> (4'd8 - front_count);
  wire [7:0] reached;
  for (genvar i = 0; i < 8; i++) begin : gen_sent
    wire [9:0] lowest = front_lanes.sign[i] ? front_result.from_negative : front_result.from_positive;
    assign reached[i] = front_lanes.some[i] & front_lanes.bin_indices[10*i +: 10] >= lowest;
  end

  // What an item is, and what of its chunk its packet says.
  typedef struct packed {
    logic        spoilt;
    logic [3:0]  k;
    logic [30:0] mean_negative;
    logic [30:0] mean_positive;
    logic        rice;
    logic [19:0] n;
    logic        error;          // status bits 2 and 1
    logic        disagrees;
    logic        raw;
    logic        payload;        // and not RAW
    logic        last;
    logic        is_final;
    logic        first;
  } item_t;
  typedef struct packed {  // where its residuals go
    logic        residual;
    logic        turn;
    logic [7:0]  here;
  } rows_t;
  item_t      sent_item_q, coded_item_q;
  rows_t      sent_rows_q, coded_rows_q;
  logic [7:0] sent_q, sent_sign_q, coded_sent_q, coded_sign_q;
  logic [3:0] sent_count_q;
  logic       sent_vector_q;  // there are values
  always_ff @(posedge aclk) begin
    if (sends) begin
      sent_q        <= front_raw ? front_below : reached;
      sent_sign_q   <= front_lanes.sign;
      sent_count_q  <= front_count;
      sent_vector_q <= front_payload | front_floats;
      sent_rows_q   <= {front_lanes.residual, front_lanes.turn, front_lanes.here};
      sent_item_q   <= {front_result.spoilt, front_result.k, front_result.mean_negative,
                        front_result.mean_positive,
                        front_n, front_status, front_raw, front_payload, front_last, front_final,
                          front_first};
    end
    if (codes) begin
      coded_sent_q <= sent_q;
      coded_sign_q <= sent_sign_q;
      coded_item_q <= sent_item_q;
      coded_rows_q <= sent_rows_q;
    end
  end
  assign coded_ends = {pop, coded_item_q.is_final};

  // Where each bit goes: in a Rice chunk that is not RAW as of BGT, which has no m either.
  wire          rice_coded = sent_item_q.rice & ~sent_item_q.raw;
  logic [3:0]   unused_k;
  logic [34:0]  head;
  logic [127:0] bits;
  logic [14:0]  closing;
  logic [55:0]  place, hole;
  logic [6:0]   closing_place;
  logic [27:0]  length;
  logic         full;
  gw_threshold_code u_code (
    .clk_i, .rst_ni,
    .take_i          (codes),
    .valid_i         (sent_valid_q & sent_vector_q),
    .first_i         (sent_item_q.first),
    .last_i          (sent_item_q.last),
    .method_i        ({~sent_item_q.raw, 1'b0}),
    .rice_i          (rice_coded),
    .count_i         (sent_count_q),
    .sent_i          (sent_q),
    .sign_i          (sent_sign_q),
    .k_i             (sent_item_q.k),
    .k_o             (unused_k),
    .head_o          (head),
    .bits_o          (bits),
    .closing_o       (closing),
    .place_o         (place),
    .closing_place_o (closing_place),
    .hole_o          (hole),
    .length_o        (length),
    .full_o          (full)
  );

  // Popped: two cycles later the floats of RAW, three and four the vector, five the merge.
  item_t        item1_q, item2_q, item3_q, item4_q;
  rows_t        rows1_q;
  logic [7:0]   sent1_q, sign1_q;
  logic [3:2]   valid_q;
  logic [255:0] float2_q;
  wire          spoilt1 = item1_q.raw ? popped_word[256] : item1_q.spoilt;
  always_ff @(posedge aclk) valid_q <= {valid_q[2], popped_q} & {2{aresetn}};
  always_ff @(posedge aclk) begin
    item1_q  <= coded_item_q;
    rows1_q  <= coded_rows_q;
    sent1_q  <= coded_sent_q;
    sign1_q  <= coded_sign_q;
    item2_q  <= item1_q;
    item2_q.spoilt <= spoilt1;
    item3_q  <= item2_q;
    item4_q  <= item3_q;
    float2_q <= popped_word[255:0] & {256{item1_q.raw & (item1_q.last | ~item1_q.is_final)}};
  end
  logic [8:0]   vector_length;
  logic [7:0]   lower_length;
  logic [143:0] lower;
  logic [127:0] upper;
  logic [15:0]  excess;
  gw_threshold_pack #(.M(1'b0)) u_pack (
    .clk_i,
    .head_i          (head),
    .bits_i          (bits),
    .closing_i       (closing),
    .place_i         (place),
    .closing_place_i (closing_place),
    .hole_i          (hole),
    .length_i        (length),
    .full_i          (full),
    .value_i         (float2_q),
    .m_i             (64'd0),
    .length_o        (vector_length),
    .lower_length_o  (lower_length),
    .lower_o         (lower),
    .upper_o         (upper),
    .excess_o        (excess)
  );

  logic               write;
  gw_onebit_residuals #(.RowBits(RowBits)) u_residuals (
    .clk_i, .rst_ni,
    .valid_i       (popped_q & item1_q.payload & rows1_q.residual),
    .turn_i        (rows1_q.turn),
    .here_i        (rows1_q.here),
    .row_i         (kept_word[257 +: RowBits]),
    .sent_i        (sent1_q),
    .signs_i       (~sign1_q),
    .means_i       ({item1_q.mean_negative, item1_q.mean_positive}),
    .value_i       (kept_word[255:0]),
    .write_o       (write),
    .write_turn_o  (write_turn),
    .write_lanes_o (write_lanes),
    .write_row_o   (write_row),
    .write_data_o  (write_data)
  );
  // The contract's writes are two cycles later.
  always_ff @(posedge aclk) cleared_q <= {cleared_q[1], write} & {2{aresetn}};
  always_ff @(posedge aclk) begin
    cleared_turn_q   <= {cleared_turn_q[1], write_turn};
    cleared_row1_q   <= write_row;
    cleared_row2_q   <= cleared_row1_q;
  end

  wire         raw4    = item4_q.raw;
  wire [4:0]   coding4 = ({1'b0, item4_q.k} + 5'd1) & {5{item4_q.rice & ~raw4}};
  wire [63:0]  means4  = {1'b1, item4_q.mean_negative, 1'b0, item4_q.mean_positive} & {64{~raw4}};
  wire [127:0] header  = {means4, 12'd0, item4_q.n, 16'd0, 3'd0, coding4, 5'd0, ~raw4, 1'b0, ~raw4};
  wire unused_item4 = ^{item4_q.payload, item4_q.last, item4_q.is_final};

  logic         merge, first_valid, first_last, second_valid, second_last;
  logic [1:0]   first_user, second_user;
  logic [255:0] first_data, second_data;
  logic [4:0]   first_pad, second_pad;
  gw_threshold_merge #(.UserBits(2)) u_merge (
    .clk_i, .rst_ni,
    .valid_i        (valid_q[3]),
    .length_i       (vector_length),
    .lower_length_i (lower_length),
    .ends_bits_i    (item3_q.last),
    .last_i         (item3_q.is_final),
    .first_i        (item4_q.first),
    .lower_i        (lower),
    .upper_i        (upper),
    .excess_i       (excess),
    .status_i       ({item4_q.error, item4_q.disagrees, item4_q.spoilt}),
    .user_i         ({raw4, item4_q.error}),
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

  `GW_ASSERT(NoneIsTakenWithoutRoom, !ahead || !front_valid_q || sends)
  `GW_COVER(AllAheadIsFull, front_valid_q && sent_valid_q && coded_valid_q && !credit)
  `GW_COVER(WaitsForItsRow, valid && residual && conflict)
  `GW_COVER(WaitsForItsHistogramAlone, valid && first && !raw && !histogram_room && chunk_room && room
            && !(residual && conflict))
endmodule

`default_nettype wire
