// Verdict: once a candidate's stream is whole, whether it is packed, and all that is new in its headers then.
// Latency 1 cycle from the stream's last beat (or the frame's, if that is later), one frame a cycle.
// INCEPTIONN (MICRO'18) section VI-A is silent about lengths, checksums and frames that grow; ours,
// docs/devices/nic_tx.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_verdict (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         stream_valid_i,  // a beat of encoded bytes is handed over
  input  wire logic [31:0]  stream_keep_i,
  input  wire logic         stream_last_i,
  input  wire logic         frame_valid_i,   // the oldest candidate that has left the front queue
  input  wire logic [7:0]   payload_at_i,
  input  wire logic [11:0]  floats_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [1:0]   tail_i,
  input  wire logic [13:0]  total_i,
  input  wire logic [13:0]  end_i,
  input  wire logic         tcp_i,
  input  wire logic [15:0]  ip_checksum_i,
  input  wire logic [15:0]  checksum_i,
  input  wire logic [7:0]   protocol_i,
  input  wire logic [16:0]  removed_i,       // what encoding took away of its floats
  output logic              valid_o,         // the frame has its verdict and goes
  output logic              packs_o,
  output logic [8:0]        last_beat_o,     // of the packed frame, counted from 0
  output logic [5:0]        last_count_o,    // bytes of that beat
  output logic [2:0]        header_beats_o,  // of the original, whose bytes are needed
  output logic [2:0]        stream_beat_o,   // of the packed frame, in which the stream begins
  output logic [4:0]        stream_at_o,     // and where in it
  output logic [13:0]       length_o,        // of the payload, before
  output logic [13:0]       total_o,         // and what the headers say now
  output logic [15:0]       ip_checksum_o,
  output logic [15:0]       checksum_o
);
  // The stream's bytes. A frame's stream is whole before the next one's begins, so there is one to wait for
  // its frame at most.
  logic        pending_q;
  logic [8:0]  beats_q;
  logic [13:0] bytes_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      beats_q   <= '0;
    end else begin
      pending_q <= (stream_valid_i & stream_last_i) | (pending_q & ~valid_o);
      if (stream_valid_i) beats_q <= stream_last_i ? 9'd0 : beats_q + 9'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (stream_valid_i & stream_last_i)
      bytes_q <= {beats_q, 5'd0} + {8'd0, gw_nic_tx_pkg::ones(stream_keep_i)};
  end
  assign valid_o = pending_q & frame_valid_i;

  // Lengths. The floats make room for the shim and the stream; padding must not eat up what is saved.
  wire [13:0] room  = {floats_i, 2'd0} - 14'd4;
  wire [13:0] saved = room - bytes_q;
  assign packs_o = bytes_q < room && end_i > 14'(gw_nic_tx_pkg::MinFrame);
  wire [13:0] packed_end = end_i - saved;
  wire [13:0] last_byte  = packed_end < 14'(gw_nic_tx_pkg::MinFrame) ? 14'(gw_nic_tx_pkg::MinFrame - 1)
                           : packed_end - 14'd1;
  assign last_beat_o    = last_byte[13:5];
  assign last_count_o   = {1'b0, last_byte[4:0]} + 6'd1;
  wire [7:0] beats_end  = payload_at_i + 8'd31;
  wire [7:0] stream_at  = payload_at_i + 8'd4 + {6'd0, head_i} + {6'd0, tail_i};
  assign header_beats_o = beats_end[7:5];
  assign stream_beat_o  = stream_at[7:5];
  assign stream_at_o    = stream_at[4:0];
  assign length_o       = {floats_i, 2'd0} + {12'd0, head_i} + {12'd0, tail_i};
  assign total_o        = total_i - saved;

  // Checksums, RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). IPv4's: the total length falls, the protocol is
  // another one.
  wire [7:0]  protocol = tcp_i ? gw_nic_tx_pkg::Tcp : gw_nic_tx_pkg::Udp;
  wire [17:0] ip_sum   = {2'd0, ~ip_checksum_i} + {2'd0, 8'hFF, ~protocol} + {10'd0, protocol_i}
                         + {2'd0, ~{2'd0, saved}};
  assign ip_checksum_o = gw_nic_tx_pkg::checksum_of(gw_nic_tx_pkg::folded(ip_sum));

  // The transport's: the payload begins at an even place of what is summed, its floats `head` bytes further.
  // UDP's 0 says that there is none.
  wire [15:0] halves  = removed_i[15:0] + {15'd0, removed_i[16]};
  wire [15:0] removed = head_i[0] ? halves : gw_nic_tx_pkg::swap16(halves);
  wire [15:0] sum     = gw_nic_tx_pkg::folded({2'd0, ~checksum_i} + {2'd0, ~removed});
  wire [15:0] result  = gw_nic_tx_pkg::checksum_of(sum);
  assign checksum_o   = tcp_i ? result : (result | {16{result == 16'd0}}) & {16{checksum_i != 16'd0}};

  `GW_ASSERT(OneStreamWaits, !(stream_valid_i && stream_last_i && pending_q && !valid_o))
  wire unused_place = ^beats_end[4:0];
endmodule

`default_nettype wire
