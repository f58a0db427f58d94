// Receives a port's frames: judges header and length, writes the expected chunk, gives the verdict.
// Verdict 1 cycle after tlast, `expect_o` and the ack 2; a beat is written 1 cycle after it came.
// Ring allreduce in the NIC (NTT); rules Frame in and Verdict of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_receive #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter logic [7:0]  Type = 8'd1,   // of the data that comes here
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         present_i,     // there is a neighbour
  input  wire logic [15:0]  session_i,
  input  wire logic [7:0]   addends_i,     // of the data that comes here
  input  wire logic [31:0]  bound_i,       // there is room for chunks below it
  input  wire logic [511:0] data_i,
  input  wire logic [63:0]  keep_i,
  input  wire logic         valid_i,
  input  wire logic         last_i,
  input  wire logic         user_i,        // on tlast: bad FCS
  output logic              write_o,       // payload goes to the bank
  output logic [16:0]       place_o,
  output logic [511:0]      data_o,
  output logic [31:0]       expect_o,      // the next chunk to take
  output logic [11:0]       words_o,       // of the frame that has its verdict
  output logic              bad_o,         // verdicts, one at most in a cycle
  output logic              foreign_o,
  output logic              control_o,
  output logic              taken_o,
  output logic              duplicate_o,
  output logic              gap_o,
  output logic              no_room_o,
  output logic              ack_valid_o,   // one cycle after a verdict that is not bad nor foreign
  output logic [31:0]       ack_o,
  output logic              answer_o       // then: the frame must be answered
);
  localparam logic [7:0]  Beats    = 8'd1 << BeatsLog2;
  localparam logic [15:0] MostBytes = 16'd64 << BeatsLog2;

  // 1. Take in: the beat in a register, its place in the frame, its valid bytes.
  wire  valid = valid_i & present_i;
  logic lost, first_q;  // the next beat is a header
  logic valid1_q, first1_q, last1_q, bad1_q;
  logic [7:0] index_q, index1_q;  // beat of payload: of the next beat, of this one; stays above Beats
  logic [6:0] count1_q;
  gw_ring_lost u_lost (.clk_i, .rst_ni, .valid_i(valid), .last_i, .lost_o(lost));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q  <= 1'b1;
      valid1_q <= 1'b0;
    end else begin
      if (valid) first_q <= last_i;
      valid1_q <= valid;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid) begin
      data_o   <= data_i;
      first1_q <= first_q;
      last1_q  <= last_i;
      bad1_q   <= user_i | lost;
      count1_q <= last_i ? gw_ring_pkg::count_bytes(keep_i) : 7'd64;
      index1_q <= index_q;
      index_q  <= first_q ? 8'd0 : index_q > Beats ? index_q : index_q + 8'd1;
    end
  end

  // 2. Header: whether it is ours, and how its chunk lies to the expected one. Held until the next one comes.
  wire [15:0] ether_type = gw_ring_pkg::swap16(data_o[8*gw_ring_pkg::EtherTypeByte +: 16]);
  wire [7:0]  version    = data_o[8*gw_ring_pkg::VersionByte +: 8];
  wire [7:0]  kind       = data_o[8*gw_ring_pkg::TypeByte +: 8];
  wire [15:0] session    = gw_ring_pkg::swap16(data_o[8*gw_ring_pkg::SessionByte +: 16]);
  wire [7:0]  addends    = data_o[8*gw_ring_pkg::AddendsByte +: 8];
  wire [7:0]  flags      = data_o[8*gw_ring_pkg::FlagsByte +: 8];
  wire [15:0] bytes      = gw_ring_pkg::swap16(data_o[8*gw_ring_pkg::LengthByte +: 16]);
  wire [31:0] chunk      = gw_ring_pkg::swap32(data_o[8*gw_ring_pkg::ChunkByte +: 32]);
  wire [31:0] ack        = gw_ring_pkg::swap32(data_o[8*gw_ring_pkg::AckByte +: 32]);

  wire header       = valid1_q & first1_q;
  wire ours         = count1_q[6] && ether_type == gw_ring_pkg::EtherType && version == gw_ring_pkg::Version
                      && session == session_i;
  wire is_control   = kind == gw_ring_pkg::TypeControl && bytes == 16'd0;
  wire is_data      = kind == Type && addends == addends_i && bytes[1:0] == 2'd0 && bytes != 16'd0
                      && bytes <= MostBytes;
  wire is_expected  = chunk == expect_o;
  logic control_q, data_q, expected_q, lower_q, room_q, wants_q;
  always_ff @(posedge clk_i) begin
    if (header) begin
      control_q  <= ours & is_control;
      data_q     <= ours & is_data;
      expected_q <= is_expected;
      lower_q    <= gw_ring_pkg::below(chunk, expect_o);
      room_q     <= !gw_ring_pkg::near_same(expect_o, bound_i);
      words_o    <= bytes[13:2];
      wants_q    <= flags[gw_ring_pkg::FlagWants];
      ack_o      <= ack;
    end
  end

  // 3. Payload: the beats of a chunk that is taken if the frame is good.
  wire take = data_q & expected_q & room_q;
  assign write_o = valid1_q & ~first1_q & take & (index1_q < Beats);
  assign place_o = gw_ring_pkg::place(expect_o, index1_q[6:0], SlotsLog2, BeatsLog2);

  // 4. Verdict. The bytes after the header must be those of its field. A header alone can be control only.
  wire [7:0]  whole_beats = index1_q + {7'd0, count1_q[6]};
  wire        right_size  = {whole_beats, count1_q[5:0]} == {words_o, 2'd0};
  wire        end_good    = valid1_q & last1_q & ~bad1_q;
  wire        is_whole    = first1_q ? ours & is_control : (control_q | data_q) & right_size;
  wire        data_good   = end_good & ~first1_q & data_q & right_size;
  assign bad_o       = valid1_q & last1_q & bad1_q;
  assign foreign_o   = end_good & ~is_whole;
  assign control_o   = end_good & (first1_q ? ours & is_control : control_q & right_size);
  assign taken_o     = data_good & expected_q & room_q;
  assign duplicate_o = data_good & ~expected_q & lower_q;
  assign gap_o       = data_good & ~expected_q & ~lower_q;
  assign no_room_o   = data_good & expected_q & ~room_q;

  logic duplicate_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      expect_o    <= First;
      ack_valid_o <= 1'b0;
    end else begin
      if (taken_o) expect_o <= expect_o + 32'd1;
      ack_valid_o <= end_good & is_whole;
    end
  end
  always_ff @(posedge clk_i) duplicate_q <= duplicate_o;
  assign answer_o = wants_q | duplicate_q;

  wire unused = ^{flags, bytes};
  wire [6:0] verdict = {bad_o, foreign_o, control_o, taken_o, duplicate_o, gap_o, no_room_o};
  `GW_ASSERT(OneVerdictAFrame, (verdict & (verdict - 7'd1)) == 7'd0 && (|verdict) == (valid1_q && last1_q))
  `GW_ASSERT(RoomStays, !taken_o || expect_o != bound_i)
endmodule

`default_nettype wire
