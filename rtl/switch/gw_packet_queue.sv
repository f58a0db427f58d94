// Packet queue of 512 beats: a frame can leave once it is in whole; what does not fit is dropped whole. For beats without
// frames take gw_fifo.
// Latency 2 cycles from tlast to the first beat, one beat a cycle; contract in docs/devices/switch.md.
// Optimizer switch (IEICE'21) section 5.1, Figure 11: RX queues and Output Queues.
`include "gw_assert.svh"
`default_nettype none

// Rx = 1: frames of fewer than 60 or more than 9,018 bytes, or with bad_i on their last beat, are dropped too. Always ready.
module gw_packet_queue #(
  parameter bit Rx = 1'b0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
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
  output logic              committed_o,  // in the cycle before, a frame went in whole
  output logic              dropped_o     // or was dropped
);
  localparam logic [13:0] MinBytes = 14'd60;
  localparam logic [13:0] MaxBytes = 14'd9018;

  // Pointers of ten bits over 512 places: where the next beat goes, where its frame begins, what is loaded next.
  logic [9:0] write_q, begin_q, read_q;
  logic       spoilt_q;
  wire  [9:0] used  = write_q - read_q;
  wire  [9:0] beats = write_q - begin_q;
  wire  [5:0] beat_bytes;
  gw_popcount32 u_bytes (.bits_i(s_keep_i), .count_o(beat_bytes));
  wire [13:0] bytes    = {beats[8:0], 5'd0} + {8'd0, beat_bytes};
  wire        overlong = Rx && bytes > MaxBytes;
  wire        spoilt   = spoilt_q || used[9] || overlong;
  wire        bad      = spoilt || (Rx && (s_bad_i || bytes < MinBytes));
  wire        load     = (!m_valid_o || m_ready_i) && more_o;
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
        write_q  <= spoilt || (s_last_i && bad) ? begin_q : write_q + 10'd1;
        if (s_last_i && !bad) begin_q <= write_q + 10'd1;
      end
      read_q <= read_q + {9'd0, load};
      if (!m_valid_o || m_ready_i) m_valid_o <= more_o;
    end
  end

  (* ram_style = "block" *) logic [288:0] memory_q [0:511];
  logic [288:0] out_q;
  always_ff @(posedge clk_i) begin
    if (s_valid_i && !spoilt) memory_q[write_q[8:0]] <= {s_last_i, s_keep_i, s_data_i};
    if (load) out_q <= memory_q[read_q[8:0]];
  end
  assign {m_last_o, m_keep_o, m_data_o} = out_q;

  wire unused_beats = beats[9];
  `GW_ASSERT(NeverMoreThanDepth, used <= 10'd512)
endmodule

`default_nettype wire
