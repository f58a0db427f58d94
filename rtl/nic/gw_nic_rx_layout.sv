// Layouts of the frames that nic_rx makes of packed ones: which of their beats hold what, and their IPv4
// headers' new words.
// A frame is due 7 cycles after valid_i; 64 frames wait, in order.
// INCEPTIONN (MICRO'18) section VI-A; names in capitals as in docs/devices/nic_rx.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_rx_layout (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [7:0]   shim_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [1:0]   head_here_i,
  input  wire logic [1:0]   tail_i,
  input  wire logic [47:0]  edges_i,
  input  wire logic [13:0]  length_i,
  input  wire logic [8:0]   groups_i,
  input  wire logic [13:0]  end_i,
  input  wire logic         has_tag_i,
  input  wire logic         tcp_i,
  input  wire logic [7:0]   protocol_i,
  input  wire logic [15:0]  checksum_i,
  // The oldest frame that is not done.
  output logic              due_o,          // it may begin: by now the decompressor can have its first group
  input  wire logic         done_i,
  output logic [7:0]        shim_o,         // P
  output logic [7:0]        floats_o,       // H
  output logic [8:0]        groups_beat_o,  // J + g
  output logic [13:0]       tail_at_o,      // T - tail
  output logic [13:0]       last_byte_o,    // T - 1
  output logic [23:0]       head_bytes_o,
  output logic [31:0]       tail_bytes_o,   // byte i of it for places that are i modulo 4
  output logic [13:0]       end_o,          // the packed one's last byte, as its IPv4 header says
  output logic              has_tag_o,
  output logic [15:0]       total_o,
  output logic [7:0]        protocol_o,
  output logic [15:0]       checksum_o
);
  // 1. Places and sums.
  wire  [7:0]  protocol = tcp_i ? gw_nic_rx_pkg::ProtocolTcp : gw_nic_rx_pkg::ProtocolUdp;
  wire  [13:0] result   = {6'd0, shim_i} + length_i;
  logic [5:0]  wait_q;
  logic [7:0]  shim_q, floats_q, protocol_q;
  logic [8:0]  groups_q;
  logic [13:0] tail_at_q, last_byte_q, end_q;
  logic [23:0] head_q, tail_q;
  logic        has_tag_q;
  logic [15:0] total_q;
  logic [17:0] sum_q;
  always_ff @(posedge clk_i) begin
    wait_q      <= {wait_q[4:0], valid_i} & {6{rst_ni}};
    shim_q      <= shim_i;
    floats_q    <= shim_i + {6'd0, head_here_i};
    groups_q    <= groups_i;
    tail_at_q   <= result - {12'd0, tail_i};
    last_byte_q <= result - 14'd1;
    head_q      <= edges_i[23:0];
    tail_q      <= edges_i[8*head_i +: 24];
    end_q       <= end_i;
    has_tag_q   <= has_tag_i;
    total_q     <= {2'd0, result} - (has_tag_i ? 16'd18 : 16'd14);
    protocol_q  <= protocol;
    // RFC 1624, equation 3: ~HC + ~m + m' for the words of total length and of TTL and protocol. Of m' - m
    // only the lengths' and the protocols' differences are left.
    sum_q       <= {2'd0, ~checksum_i} + {4'd0, result - 14'd1 - end_i}
                   + (18'h0FFFF - {10'd0, protocol_i} + {10'd0, protocol});
  end

  // 2. What follows from these, into the queue.
  wire [16:0] folded   = {1'b0, sum_q[15:0]} + {15'd0, sum_q[17:16]};
  wire [15:0] checksum = ~(folded[15:0] + {15'd0, folded[16]});
  wire [31:0] tail_bytes [0:3];
  assign tail_bytes[0] = {8'd0, tail_q};
  assign tail_bytes[1] = {tail_q, 8'd0};
  assign tail_bytes[2] = {tail_q[15:0], 8'd0, tail_q[23:16]};
  assign tail_bytes[3] = {tail_q[7:0], 8'd0, tail_q[23:8]};
  logic room, there;
  gw_fifo_head #(.Width(164), .DepthLog2(6)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i (wait_q[0]),
    .s_ready_o (room),
    .s_data_i  ({shim_q, floats_q, {6'd0, floats_q[7:5]} + groups_q, tail_at_q, last_byte_q, head_q,
                 tail_bytes[tail_at_q[1:0]], end_q, has_tag_q, total_q, protocol_q, checksum}),
    .m_valid_o (there),
    .m_ready_i (done_i),
    .m_data_o  ({shim_o, floats_o, groups_beat_o, tail_at_o, last_byte_o, head_bytes_o, tail_bytes_o, end_o,
                 has_tag_o, total_o, protocol_o, checksum_o})
  );

  logic [6:0] due_q;  // frames that may begin and are not done
  always_ff @(posedge clk_i) begin
    if (!rst_ni) due_q <= '0;
    else due_q <= due_q + {6'd0, wait_q[5]} - {6'd0, done_i};
  end
  assign due_o = due_q != 7'd0;

  `GW_ASSERT(LayoutsFindRoom, !wait_q[0] || room)
  `GW_ASSERT(DueWithItsLayout, !due_o || there)
  `GW_ASSERT(DoneOnceDue, !done_i || due_o)
endmodule

`default_nettype wire
