// ExpEther packet parser: says what each frame is and hands it on untouched, with the decoded fields in
// m_axis_tuser.
// Latency 4 cycles from a frame's sixth (or last) beat, one beat a cycle; contract in docs/devices/parser.md.
// Optimizer switch (IEICE'21) sections 4.2 and 5.2.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_parser (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [1:0]   s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic [191:0]      m_axis_tuser,
  output logic [12*32-1:0]  stat_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  wire accept = s_axis_tvalid & s_axis_tready;
  wire leave  = m_axis_tvalid & m_axis_tready;

  // 1. Take in: the beat in a register, counted up to the deciding one.
  logic [2:0] index_q;  // of the next beat; 6: after the deciding beat
  wire        first  = index_q == 3'd0;
  wire        decide = accept && (index_q == 3'd5 || (s_axis_tlast && index_q < 3'd5));
  logic [6:0] used_q;  // beats accepted and not left, at most 64; both queues hold as many
  wire  [6:0] used_in = used_q + {6'd0, accept};
  wire  [6:0] used_d  = leave ? used_in - 7'd1 : used_in;  // `leave` is late: no sum waits for it
  logic       beat_valid_q, beat_first_q, beat_second_q, beat_decide_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axis_tready <= 1'b0;
      used_q        <= '0;
      index_q       <= '0;
      beat_valid_q  <= 1'b0;
      beat_decide_q <= 1'b0;
    end else begin
      s_axis_tready <= !used_d[6];
      used_q        <= used_d;
      if (accept) index_q <= s_axis_tlast ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
      beat_valid_q  <= accept;
      beat_decide_q <= decide;
    end
  end
  logic [255:0] beat_data_q;
  logic [31:0]  beat_keep_q;
  logic         beat_last_q;
  logic [1:0]   port_q;
  logic [2:0]   beat_index_q;
  always_ff @(posedge clk_i) begin
    if (accept) begin
      beat_data_q   <= s_axis_tdata;
      beat_keep_q   <= s_axis_tkeep;
      beat_last_q   <= s_axis_tlast;
      beat_index_q  <= index_q;
      beat_first_q  <= first;
      beat_second_q <= index_q == 3'd1;
      if (first) port_q <= s_axis_tuser;
    end
  end

  // 2. Extract: the headers' bytes, and how many bytes the frame has. tkeep is contiguous, so the count of a
  // beat is where it ends, and a frame that ends in beat n has all 32 bytes of those before.
  logic [255:0] first_q, second_q;
  logic [7:0]   bytes_q;
  logic         decide2_q;
  logic [1:0]   port2_q;
  always_ff @(posedge clk_i) begin
    if (beat_valid_q && beat_first_q)  first_q  <= beat_data_q;
    if (beat_valid_q && beat_second_q) second_q <= beat_data_q;
    if (beat_decide_q) begin
      bytes_q <= {beat_index_q + {2'd0, beat_keep_q[31]}, gw_expether_pkg::bytes_below_32(beat_keep_q)};
      port2_q <= port_q;
    end
    decide2_q <= beat_decide_q && rst_ni;
  end

  // 3. Check, part one: each check by itself; the checksum's sum. What is dear to work out is held between
  // frames, when nobody looks.
  wire [7:0] flags = first_q[8*gw_expether_pkg::FlagsByte +: 8];
  wire [7:0] count = first_q[8*gw_expether_pkg::CountByte +: 8];
  wire [7:0] kind_of_frame = first_q[8*gw_expether_pkg::TypeByte +: 8];
  wire       three_dw = flags[gw_expether_pkg::FlagTlp3Dw];
  wire [31:0] tlp = three_dw ? second_q[8*(gw_expether_pkg::Tlp3Byte-32) +: 32]
                             : second_q[8*(gw_expether_pkg::Tlp4Byte-32) +: 32];
  wire       tlp_known = three_dw ? tlp[7:0] == gw_expether_pkg::TlpMWr32 || tlp[7:0]
                         == gw_expether_pkg::TlpCplD
                                  : tlp[7:0] == gw_expether_pkg::TlpMWr64;
  wire [9:0] tlp_length = {tlp[17:16], tlp[31:24]};
  wire       count_in_range = count != 8'd0 && count <= 8'd32;
  wire       is_expether =
      gw_expether_pkg::swap16(first_q[8*gw_expether_pkg::TpidByte +: 16]) == gw_expether_pkg::Tpid
      && gw_expether_pkg::swap16(first_q[8*gw_expether_pkg::EtherTypeByte +: 16])
        == gw_expether_pkg::EtherType
      && bytes_q >= 8'd18;
  wire       has_control = bytes_q >= 8'd48;
  wire       decoded     = is_expether && has_control;
  logic         decide3_q, expether3_q, control3_q, version3_q, carries3_q, gradient3_q, count3_q, header3_q,
    tlp3_q;
  logic         poisoned3_q, length3_q, payload3_q;
  logic [19:0]  sum_first3_q, sum_second3_q;
  typedef struct packed {  // m_axis_tuser without its bits that are zero, and without the verdict
    logic [31:0] ack;
    logic [1:0]  port;
    logic [15:0] tci;
    logic [15:0] group;
    logic [15:0] worker;
    logic [31:0] iteration;
    logic [31:0] sequence_no;
    logic [7:0]  kind_of_frame;
    logic [7:0]  count;
    logic [7:0]  flags;
  } fields_t;
  fields_t      fields3_q;
  always_ff @(posedge clk_i) begin
    decide3_q     <= decide2_q && rst_ni;
    expether3_q   <= is_expether;
    control3_q    <= has_control;
    header3_q     <= bytes_q >= 8'd64;
    poisoned3_q   <= tlp[22];
    if (decide2_q) begin
      version3_q    <= first_q[8*gw_expether_pkg::VersionByte +: 8] == gw_expether_pkg::Version;
      carries3_q    <= kind_of_frame == gw_expether_pkg::TypeGradient
                       || kind_of_frame == gw_expether_pkg::TypeParameter;
      gradient3_q   <= kind_of_frame == gw_expether_pkg::TypeGradient;
      count3_q      <= count_in_range;
      tlp3_q        <= tlp_known && !tlp[23];
      length3_q     <= tlp_length == {2'd0, count};
      payload3_q    <= {1'b0, bytes_q} >= {1'b0, count[5:0], 2'd0} + 9'd64;
      sum_first3_q  <= gw_expether_pkg::header_sum(first_q[8*gw_expether_pkg::ControlByte +: 112]);
      sum_second3_q <=
          gw_expether_pkg::header_sum(second_q[8*(gw_expether_pkg::GroupByte-32) +: 112])
          + {4'd0, gw_expether_pkg::swap16(second_q[8*(gw_expether_pkg::ChecksumByte-32) +: 16])};
      fields3_q <= {
        gw_expether_pkg::swap32(first_q[8*gw_expether_pkg::AckByte +: 32]) & {32{decoded}},
        port2_q,
        gw_expether_pkg::swap16(first_q[8*gw_expether_pkg::TciByte +: 16]) & {16{decoded}},
        gw_expether_pkg::swap16(second_q[8*(gw_expether_pkg::GroupByte-32) +: 16]) & {16{decoded}},
        gw_expether_pkg::swap16(first_q[8*gw_expether_pkg::WorkerByte +: 16]) & {16{decoded}},
        gw_expether_pkg::swap32(second_q[8*(gw_expether_pkg::IterationByte-32) +: 32]) & {32{decoded}},
        gw_expether_pkg::swap32(first_q[8*gw_expether_pkg::SequenceByte +: 32]) & {32{decoded}},
        {kind_of_frame, count, flags} & {24{decoded}}};
    end
  end

  // 4. Check, part two: the first check that fails decides.
  wire [19:0] sum = sum_first3_q + sum_second3_q;
  wire [5:0]  verdict =
      !expether3_q       ? {gw_expether_pkg::ReasonNone,        gw_expether_pkg::KindNotExpEther}
      : !control3_q      ? {gw_expether_pkg::ReasonShortFrame,  gw_expether_pkg::KindMalformed}
      : !version3_q      ? {gw_expether_pkg::ReasonBadVersion,  gw_expether_pkg::KindMalformed}
      : !gw_expether_pkg::folds_to_ones(sum) ? {gw_expether_pkg::ReasonBadChecksum,
                                                gw_expether_pkg::KindMalformed}
      : !carries3_q      ? {gw_expether_pkg::ReasonNone,        gw_expether_pkg::KindPlain}
      : !count3_q        ? {gw_expether_pkg::ReasonCount,       gw_expether_pkg::KindMalformed}
      : !header3_q       ? {gw_expether_pkg::ReasonShortFrame,  gw_expether_pkg::KindMalformed}
      : !tlp3_q          ? {gw_expether_pkg::ReasonTlpType,     gw_expether_pkg::KindMalformed}
      : poisoned3_q      ? {gw_expether_pkg::ReasonPoisoned,    gw_expether_pkg::KindMalformed}
      : !length3_q       ? {gw_expether_pkg::ReasonTlpLength,   gw_expether_pkg::KindMalformed}
      : !payload3_q      ? {gw_expether_pkg::ReasonShortFrame,  gw_expether_pkg::KindMalformed}
      : gradient3_q      ? {gw_expether_pkg::ReasonNone,        gw_expether_pkg::KindGradient}
      :                    {gw_expether_pkg::ReasonNone,        gw_expether_pkg::KindParameter};

  // 5. Wait for one another: the frame's beats, and its verdict.
  wire data_valid, verdict_valid, data_room, verdict_room;
  gw_fifo_head #(.Width(289), .DepthLog2(6)) u_data (
    .clk_i, .rst_ni,
    .s_valid_i (beat_valid_q), .s_ready_o(data_room), .s_data_i({beat_last_q, beat_keep_q, beat_data_q}),
    .m_valid_o (data_valid), .m_ready_i(leave), .m_data_o({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );
  fields_t   fields_out;
  wire [5:0] verdict_out;
  gw_fifo_head #(.Width(176), .DepthLog2(6)) u_verdict (
    .clk_i, .rst_ni,
    .s_valid_i (decide3_q), .s_ready_o(verdict_room), .s_data_i({fields3_q, verdict}),
    .m_valid_o (verdict_valid), .m_ready_i(leave & m_axis_tlast), .m_data_o({fields_out, verdict_out})
  );
  assign m_axis_tuser = {fields_out.ack, 10'd0, fields_out.port, 4'd0, fields_out.tci, fields_out.group,
                         fields_out.worker,
                         fields_out.iteration, fields_out.sequence_no, fields_out.kind_of_frame,
                           fields_out.count,
                         fields_out.flags, 2'd0, verdict_out};
  assign m_axis_tvalid = data_valid & verdict_valid;

  // Statistics, by kind and by reason, with the verdict: what leaves depends on whoever comes next, and is
  // known late.
  for (genvar i = 0; i < 12; i++) begin : gen_stat
    logic [31:0] count_q;
    wire hit = i < 5 ? {29'd0, verdict[2:0]} == i : {29'd0, verdict[5:3]} == i - 4;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= '0;
      else if (decide3_q && hit) count_q <= count_q + 32'd1;
    end
    assign stat_o[32*i +: 32] = count_q;
  end

  wire unused_bytes = ^{first_q[95:0], second_q[255:192], tlp[21:18], tlp[15:8]};
  `GW_ASSERT(BeatsFindRoom, !beat_valid_q || data_room)
  `GW_ASSERT(VerdictsFindRoom, !decide3_q || verdict_room)
  `GW_ASSERT(NeverMoreThanCapacity, used_q <= 7'd64)
  `GW_COVER(Full, used_q == 7'd64)
  `GW_COVER(EndsBeforeDecidingBeat, decide && index_q != 3'd5)
  `GW_COVER(EndsWithDecidingBeat, decide && s_axis_tlast && index_q == 3'd5)
  `GW_COVER(GoesOnBehindDecidingBeat, decide && !s_axis_tlast)
  `GW_COVER(BeatsWaitForVerdict, data_valid && !verdict_valid)
endmodule

`default_nettype wire
