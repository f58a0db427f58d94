// The end of each quantiser: output queue of 64 beats, credit for what is on its way to it, counters of
// packets.
// Latency 1 cycle, up to two beats a cycle in, one out.
// docs/devices/mx.md, output queue, credit; so in docs/devices/{threshold,onebit,adaptive}.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Each item that spends credit is merged once, and completes two beats at most. If the end of a packet is
// flushed without a merge (Flushes), room is kept for that beat, too.
module gw_quant_egress #(
  parameter bit Flushes = 1'b1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         spend_i,         // an item is on its way
  output logic              credit_o,        // another one may be
  input  wire logic         merge_i,         // one has come
  input  wire logic         first_valid_i,
  input  wire logic [255:0] first_data_i,
  input  wire logic [4:0]   first_pad_i,     // bytes missing from the beat's end
  input  wire logic         first_last_i,
  input  wire logic [1:0]   first_user_i,    // the packet is RAW; it is in error
  input  wire logic         second_valid_i,  // only together with first_valid_i
  input  wire logic [255:0] second_data_i,
  input  wire logic [4:0]   second_pad_i,
  input  wire logic         second_last_i,
  input  wire logic [1:0]   second_user_i,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [31:0]       raw_count_o,
  output logic [31:0]       error_count_o
);
  localparam int DepthLog2 = 6;
  localparam int Depth     = 1 << DepthLog2;

  typedef struct packed {
    logic         raw;
    logic         error;
    logic         last;
    logic [4:0]   pad;
    logic [255:0] data;
  } beat_t;
  localparam int BeatBits = 3 + 5 + 256;
  beat_t first, second, left;
  assign first  = {first_user_i, first_last_i, first_pad_i, first_data_i};
  assign second = {second_user_i, second_last_i, second_pad_i, second_data_i};
  gw_fifo_2w #(.Width(BeatBits), .DepthLog2(DepthLog2)) u_queue (
    .clk_i, .rst_ni,
    .first_valid_i,
    .first_i  (first),
    .second_valid_i,
    .second_i (second),
    .valid_o  (m_axis_tvalid),
    .ready_i  (m_axis_tready),
    .data_o   (left)
  );
  assign m_axis_tdata = left.data;
  assign m_axis_tkeep = 32'hFFFF_FFFF >> left.pad;
  assign m_axis_tlast = left.last;
  assign m_axis_tuser = left.error;

  // Credit: beats in the queue plus two for each item under way.
  logic [6:0] used_q;
  wire        leave   = m_axis_tvalid & m_axis_tready;
  wire [6:0]  settled = used_q - {5'd0, merge_i, 1'b0} + {6'd0, first_valid_i} + {6'd0, second_valid_i}
                        - {6'd0, leave};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q        <= '0;
      credit_o      <= 1'b1;
      raw_count_o   <= '0;
      error_count_o <= '0;
    end else begin
      used_q   <= settled + {5'd0, spend_i, 1'b0};
      credit_o <= spend_i ? settled <= 7'(Depth - 5) : settled <= 7'(Depth - 3);
      if (leave & left.last & left.raw)   raw_count_o   <= raw_count_o + 32'd1;
      if (leave & left.last & left.error) error_count_o <= error_count_o + 32'd1;
    end
  end

  localparam logic [6:0] Most = 7'(Flushes ? Depth : Depth - 1);
  `GW_ASSERT(CreditHolds, used_q <= Most)
  `GW_ASSERT(NothingIsFlushed, Flushes || !first_valid_i || merge_i)
  `GW_COVER(CreditRunsOut, !credit_o)
  `GW_COVER(CreditIsSpent, used_q == Most)
  `GW_COVER(EntersAndLeavesEmpty, first_valid_i && !m_axis_tvalid)
  `GW_COVER(RawPacketLeaves, leave && left.last && left.raw)
  `GW_COVER(PacketInErrorLeaves, leave && left.last && left.error)
endmodule

`default_nettype wire
