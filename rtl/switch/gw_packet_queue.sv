// Packet queue of 2^DepthLog2 beats: a frame can leave once it is in whole; what does not fit is dropped
// whole. For beats without frames take gw_fifo.
// Latency 2 cycles from tlast to the first beat, one beat a cycle; contract in docs/devices/switch.md.
// Optimizer switch (IEICE'21) section 5.1, Figure 11: RX queues and Output Queues.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// s_keep_i is contiguous from byte 0 and partial with s_last_i only.
// Rx = 1: frames of fewer than 60 or more than 9,018 bytes, or with bad_i on their last beat, are dropped
// too. Always ready.
// After reset it waits until it knows where a frame begins: after a tlast, or after 8 cycles in which
// offered_i was 0.
module gw_packet_queue #(
  parameter bit Rx = 1'b0,
  parameter int DepthLog2 = 9,
  parameter int MaxBytes = 9018
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // Rx: the port offers a beat, be it taken (s_valid_i) or not, as in reset
  input  wire logic         offered_i,
  input  wire logic         s_valid_i,
  input  wire logic [255:0] s_data_i,
  input  wire logic [31:0]  s_keep_i,
  input  wire logic         s_last_i,
  input  wire logic         s_bad_i,
  output logic              m_valid_o,
  input  wire logic         m_ready_i,
  output logic [255:0]      m_data_o,
  output logic [31:0]       m_keep_o,
  output logic              m_last_o,
  output logic              more_o,       // a beat can be loaded into the output register
  output logic              committed_o,  // in the cycle whole_beats, a frame went in whole
  output logic              dropped_o     // or was dropped
);
  localparam int MinBytes = 60;

  // Pointers of one bit more than the places need: where the next beat goes, where its frame begins, what is
  // loaded next.
  localparam logic [DepthLog2:0] One = {{DepthLog2{1'b0}}, 1'b1};
  logic [DepthLog2:0] write_q, begin_q, read_q;
  logic               spoilt_q;
  logic               lost_q;
  wire  [DepthLog2:0] used  = write_q - read_q;
  wire  [DepthLog2:0] beats = write_q - begin_q;
  // The frame's bytes are those of whole beats, known early, and this beat's: a byte is there, or it is not.
  wire [31:0] whole_beats = {{(32-DepthLog2){1'b0}}, beats[DepthLog2-1:0]};
  wire        overlong = Rx && (whole_beats > MaxBytes / 32
                                || (whole_beats == MaxBytes / 32 && s_keep_i[MaxBytes % 32]));
  wire        tiny     = Rx && (whole_beats < MinBytes / 32
                                || (whole_beats == MinBytes / 32 && !s_keep_i[MinBytes % 32 - 1]));
  wire        spoilt   = spoilt_q || used[DepthLog2] || overlong || lost_q;
  wire        bad      = spoilt || (Rx && s_bad_i) || tiny;
  wire        load     = (!m_valid_o || m_ready_i) && more_o;
  wire  [DepthLog2:0] commit_step = begin_q ^ (write_q + One);  // known before `bad`, which is late
  assign more_o = begin_q != read_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q     <= '0;
      begin_q     <= '0;
      read_q      <= '0;
      spoilt_q    <= 1'b0;
      m_valid_o   <= 1'b0;
      committed_o <= 1'b0;
      dropped_o   <= 1'b0;
    end else begin
      committed_o <= s_valid_i && s_last_i && !bad;
      dropped_o   <= s_valid_i && s_last_i && bad;
      if (s_valid_i) begin
        spoilt_q <= spoilt && !s_last_i;
        write_q  <= spoilt || (s_last_i && bad) ? begin_q : write_q + One;
      end
      begin_q <= begin_q ^ (commit_step & {(DepthLog2+1){s_valid_i && s_last_i && !bad}});
      if (load) read_q <= read_q + One;
      if (!m_valid_o || m_ready_i) m_valid_o <= more_o;
    end
  end

  (* ram_style = "block" *) logic [288:0] memory_q [0:(1 << DepthLog2)-1];
  logic [288:0] out_q;
  // A spoilt frame's beats are written, too: nobody reads there, and that the frame is spoilt is known late.
  always_ff @(posedge clk_i) begin
    if (s_valid_i && !used[DepthLog2]) memory_q[write_q[DepthLog2-1:0]] <= {s_last_i, s_keep_i, s_data_i};
    if (load) out_q <= memory_q[read_q[DepthLog2-1:0]];
  end
  assign {m_last_o, m_keep_o, m_data_o} = out_q;

  // What follows a reset may be the rest of a frame.
  // the port in the seven cycles whole_beats: no reset, so that the idle cycles in it count
  logic [6:0] idle_q;
  wire        found = ~offered_i & (&idle_q);
  always_ff @(posedge clk_i) idle_q <= {idle_q[5:0], ~offered_i};
  if (Rx) begin : gen_lost
    always_ff @(posedge clk_i) lost_q <= (lost_q | ~rst_ni) & ~found & ~(rst_ni & s_valid_i & s_last_i);
  end else begin : gen_lost
    wire unused_found = found;
    assign lost_q = 1'b0;
  end

  wire unused_beats = beats[DepthLog2];
  `GW_ASSERT(NeverMoreThanDepth, used <= {1'b1, {DepthLog2{1'b0}}})
  `GW_COVER(Full, s_valid_i && used[DepthLog2])
  `GW_COVER(DroppedForRoom, s_valid_i && s_last_i && (spoilt_q || used[DepthLog2]) && !lost_q)
  `GW_COVER(DroppedBehindWholeFrames, s_valid_i && s_last_i && bad && more_o)
  `GW_COVER(CommittedWhileEmpty, s_valid_i && s_last_i && !bad && begin_q == read_q && !m_valid_o)
  `GW_COVER(LoadsWhileWritten, s_valid_i && load)
  if (Rx) begin : gen_cover
    `GW_COVER(TooLong, s_valid_i && overlong && !spoilt_q && !lost_q)
    `GW_COVER(TooShort, s_valid_i && s_last_i && tiny && !spoilt_q && !lost_q)
    `GW_COVER(BadFcs, s_valid_i && s_last_i && s_bad_i && !spoilt_q && !lost_q)
    `GW_COVER(FirstFrameIsFound, lost_q && found)
  end
endmodule

`default_nettype wire
