// Output queue of a port or of the host: 8 beats, with credit; bytes beyond a chunk's end become zero.
// Latency 3 cycles from issue to tvalid, one beat a cycle.
// Ring allreduce in the NIC (NTT); rule Output queues of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_egress (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         issue_i,
  input  wire logic         header_i,       // the beat issued is a header
  input  wire logic         last_i,
  input  wire logic [3:0]   tail_i,         // words of a chunk's last beat, 0 for 16
  output logic              credit_o,       // a beat may be issued
  input  wire logic [511:0] header_data_i,  // two cycles after the issue
  input  wire logic [511:0] bank_data_i,    // too
  output logic [511:0]      m_axis_tdata,
  output logic [63:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast
);
  // 1. Credit: beats issued that have not left.
  localparam logic [gw_ring_pkg::OutputDepthLog2:0] One = 1;
  logic [gw_ring_pkg::OutputDepthLog2:0] used_q;
  wire                                   leaves = m_axis_tvalid & m_axis_tready;
  assign credit_o = ~used_q[gw_ring_pkg::OutputDepthLog2];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else if (issue_i & ~leaves) used_q <= used_q + One;
    else if (~issue_i & leaves) used_q <= used_q - One;
  end

  // 2. The beat comes from its bank or from the header's builder two cycles after its issue.
  logic        valid1_q, valid2_q, header1_q, header2_q, last1_q, last2_q;
  logic [3:0]  tail1_q;
  logic [15:0] words2_q;  // valid ones of the beat
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      valid1_q <= issue_i;
      valid2_q <= valid1_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      header1_q <= header_i;
      last1_q   <= last_i;
      tail1_q   <= tail_i;
    end
    if (valid1_q) begin
      header2_q <= header1_q;
      last2_q   <= last1_q;
      words2_q  <= last1_q & ~header1_q ? gw_ring_pkg::last_words(tail1_q) : {16{1'b1}};
    end
  end
  wire [511:0] beat;
  for (genvar i = 0; i < 16; i++) begin : gen_word
    wire [31:0] word = header2_q ? header_data_i[32*i +: 32] : bank_data_i[32*i +: 32];
    assign beat[32*i +: 32]        = word & {32{words2_q[i]}};
  end

  // 3. Queue.
  logic        room;
  logic [15:0] words;
  gw_fifo_head #(.Width(529), .DepthLog2(gw_ring_pkg::OutputDepthLog2)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i (valid2_q),
    .s_ready_o (room),
    .s_data_i  ({last2_q, words2_q, beat}),
    .m_valid_o (m_axis_tvalid),
    .m_ready_i (leaves),
    .m_data_o  ({m_axis_tlast, words, m_axis_tdata})
  );
  for (genvar i = 0; i < 16; i++) begin : gen_keep
    assign m_axis_tkeep[4*i +: 4] = {4{words[i]}};
  end

  `GW_ASSERT(QueueHasRoom, !valid2_q || room)
  `GW_ASSERT(NeverMoreThanCredit, used_q <= 4'd8)
endmodule

`default_nettype wire
