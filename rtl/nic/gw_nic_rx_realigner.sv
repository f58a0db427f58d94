// Front queue of nic_rx: cuts the stream of encoded groups out of the frames that are to be unpacked, for the
// decompressor.
// Latency 1 cycle, one beat a cycle; the queue holds 64 beats.
// INCEPTIONN (MICRO'18) section VI-A: the way to the Burst Buffer, for streams that begin at any byte.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_rx_realigner (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         s_valid_i,  // accepted; the user counts the room
  input  wire logic [255:0] s_data_i,
  input  wire logic [5:0]   s_count_i,  // valid bytes
  input  wire logic         s_last_i,
  // What the oldest beat's frame is, and with details_valid_i whether it is to be unpacked, where its stream
  // begins (one byte less), and where it ends (its last byte).
  input  wire logic         class_valid_i,
  input  wire logic         packed_i,
  input  wire logic         details_valid_i,
  input  wire logic         unpack_i,
  input  wire logic [7:0]   lead_i,
  input  wire logic [13:0]  end_i,
  output logic              gone_o,        // a beat leaves
  output logic              frame_gone_o,  // it is its frame's last
  output logic              m_valid_o,
  input  wire logic         m_ready_i,
  output logic [255:0]      m_data_o,
  output logic [31:0]       m_keep_o,
  output logic              m_last_o
);
  // The queue: a memory, and in front of it the oldest beat in registers, ready to be sent.
  logic         head_valid_q, head_last_q;
  logic         stored_valid, stored_last, memory_room;
  logic [255:0] stored_data;
  logic [5:0]   stored_count;
  wire load     = ~head_valid_q | gone_o;
  wire incoming = stored_valid | s_valid_i;
  gw_fifo #(.Width(263), .DepthLog2(6)) u_memory (
    .clk_i, .rst_ni,
    .s_valid_i (s_valid_i & ~(load & ~stored_valid)),
    .s_ready_o (memory_room),
    .s_data_i  ({s_last_i, s_count_i, s_data_i}),
    .m_valid_o (stored_valid),
    .m_ready_i (load),
    .m_data_o  ({stored_last, stored_count, stored_data})
  );
  wire [255:0] next_data  = stored_valid ? stored_data : s_data_i;
  wire [5:0]   next_count = stored_valid ? stored_count : s_count_i;
  wire         next_last  = stored_valid ? stored_last : s_last_i;

  // What the next beat is for the stream is known before it is the oldest one: a frame's first beat has no
  // byte of it, and those after get here when the first one has left, so that the frame's details are there.
  logic [8:0] index_q;   // of the next beat in its frame; it stays at 511, far after any stream's end
  // 1..32: byte of beat lead_i / 32 at which the stream begins
  wire  [5:0] begins    = {1'b0, lead_i[4:0]} + 6'd1;
  wire        at_end    = index_q == end_i[13:5];
  wire        reaches   = at_end && next_count > {1'b0, end_i[4:0]};
  wire  [5:0] available = reaches ? {1'b0, end_i[4:0]} + 6'd1 : next_count;
  wire        closes    = reaches | next_last;  // the stream's end, or the frame's before it
  wire        streams   = index_q != 9'd0 && packed_i && unpack_i && index_q <= end_i[13:5];
  wire        begun     = index_q > {6'd0, lead_i[7:5]};  // the stream has begun in a beat before
  wire        starts    = index_q == {6'd0, lead_i[7:5]};
  wire        fills     = available >= begins;
  wire  [5:0] behind    = available - begins;  // bytes of the next stream beat, if this one's is filled
  wire        flushes   = begun && fills && closes && !(reaches && behind == 6'd0);
  // Bytes of the stream beat that goes with this one.
  wire  [5:0] beat_count = begun ? (fills ? 6'd32 : 6'd32 - begins + available)
                                  : (starts && fills ? behind : 6'd0);

  logic         send_q, close_q, flushes_q;
  logic [31:0]  keep_q;
  logic [5:0]   behind_q;
  logic [255:0] head_q;    // rotated
  logic [255:0] before_q;  // the beat that left last, too
  logic         flush_q;   // what it held after its own stream beat is to be sent
  logic [31:0]  flush_keep_q;
  // Masks of whole bytes: what is the beat's before, what is sent, and what a flush sends. After them is but
  // one gate: the way through the Burst Buffer's door is long.
  logic [255:0] older_q, sent_q, flushed_q;
  logic [255:0] older, sent, flushed;
  for (genvar i = 0; i < 4; i++) begin : gen_mask
    localparam logic [1:0] Word = 2'(i);
    assign older[64*i +: 64]   = gw_nic_rx_pkg::below(begun ? 6'd32 - begins : 6'd0, Word);
    assign sent[64*i +: 64]    = gw_nic_rx_pkg::below(beat_count, Word);
    assign flushed[64*i +: 64] = gw_nic_rx_pkg::below(behind_q, Word);
  end
  logic [255:0] rotated;
  gw_byte_rotate u_rotate (.data_i(next_data), .bytes_i(begins[4:0]), .data_o(rotated));

  wire known   = class_valid_i & (~packed_i | details_valid_i);
  assign gone_o       = head_valid_q & known & m_ready_i;
  assign frame_gone_o = gone_o & head_last_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      send_q       <= 1'b0;
      flush_q      <= 1'b0;
      index_q      <= '0;
    end else begin
      if (load) begin
        head_valid_q <= incoming;
        send_q       <= incoming & streams & (begun | closes);
      end
      if (load & incoming) index_q <= next_last ? 9'd0 : index_q + {8'd0, ~&index_q};
      if (m_ready_i) flush_q <= send_q & flushes_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      head_q      <= rotated;
      head_last_q <= next_last;
      older_q     <= older;
      sent_q      <= sent;
      keep_q      <= gw_nic_rx_pkg::keep_of(beat_count);
      behind_q    <= behind;
      flushes_q   <= flushes;
      close_q     <= closes & ~flushes;
    end
    if (gone_o) begin
      before_q     <= head_q;
      flushed_q    <= flushed;
      flush_keep_q <= gw_nic_rx_pkg::keep_of(behind_q);
    end
  end

  // A flush has the lower bytes of the beat before and nothing else; the beat that leaves meanwhile is no
  // part of any stream.
  assign m_valid_o = flush_q | send_q;
  assign m_last_o  = flush_q | close_q;
  assign m_keep_o  = flush_q ? flush_keep_q : keep_q;
  for (genvar i = 0; i < 4; i++) begin : gen_word
    wire [63:0] choice = older_q[64*i +: 64] | {64{flush_q}};
    wire [63:0] mask   = (sent_q[64*i +: 64] & ~{64{flush_q}}) | (flushed_q[64*i +: 64] & {64{flush_q}});
    assign m_data_o[64*i +: 64] = ((before_q[64*i +: 64] & choice) | (head_q[64*i +: 64] & ~choice)) & mask;
  end

  `GW_ASSERT(BeatsFindRoom, !s_valid_i || memory_room || (load && !stored_valid))
  `GW_ASSERT(SentWithItsDetails, !send_q || (head_valid_q && known && packed_i && unpack_i))
  `GW_ASSERT(NothingMeetsAFlush, !(flush_q && send_q))
endmodule

`default_nettype wire
