// Puts an outgoing beat together: one of the original as it is, or of a packed frame its headers, shim, edges
// and stream.
// Combinational, but for what a stream's beat leaves for the next one.
// INCEPTIONN (MICRO'18) section VI-A, Figure 8; the packed frame's layout is ours (docs/devices/nic_tx.md).
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_nic_tx_merge (
  input  wire logic         clk_i,
  input  wire logic         valid_i,         // a beat is put together in this cycle
  input  wire logic [255:0] original_i,
  input  wire logic [255:0] stream_i,
  input  wire logic         has_stream_i,
  input  wire logic [5:0]   count_i,         // bytes of the beat
  input  wire logic         packed_i,        // the rest counts if this is 1
  input  wire logic [2:0]   beat_i,          // of the packed frame, 7: one of those without headers
  input  wire logic [7:0]   payload_at_i,
  input  wire logic         tag_i,
  input  wire logic [6:0]   checksum_at_i,   // an even place
  input  wire logic [4:0]   stream_at_i,
  input  wire logic [13:0]  total_i,
  input  wire logic [7:0]   protocol_i,
  input  wire logic [15:0]  ip_checksum_i,
  input  wire logic [15:0]  checksum_i,
  input  wire logic         bounded_i,
  input  wire logic [3:0]   bound_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [13:0]  length_i,
  input  wire logic [47:0]  edges_i,
  output logic [255:0]      data_o,
  output logic [31:0]       keep_o
);
  // Headers: those of the original, but for four fields. IPv4's lie in the first beat, after a tag or not;
  // the transport's checksum in the second or third.
  wire [255:0] ip = {160'd0, gw_nic_tx_pkg::swap16(ip_checksum_i), protocol_i, 40'd0,
                     gw_nic_tx_pkg::swap16({2'd0, total_i}), 16'd0};
  localparam logic [255:0] IpNew = {160'd0, 16'hFFFF, 8'hFF, 40'd0, 16'hFFFF, 16'd0};
  function automatic [255:0] headers(input [255:0] original, input [2:0] beat, input [255:0] ip_data,
                                     input tag, input [15:0] checksum,
                                     input [5:0] checksum_word);
    logic [255:0] ip_new, sum_new;
    ip_new  = (tag ? IpNew << 8*18 : IpNew << 8*14) & {256{beat == 3'd0}};
    sum_new = ({240'd0, 16'hFFFF} << {checksum_word[3:0], 4'd0}) & {256{beat == {1'b0, checksum_word[5:4]}}};
    headers = (original & ~ip_new & ~sum_new) | ((tag ? ip_data << 8*18 : ip_data << 8*14) & ip_new)
            | ({16{gw_nic_tx_pkg::swap16(checksum)}} & sum_new);
  endfunction

  // Shim and edges: ten bytes that begin where the payload began, and may end in the next beat. The CRC is
  // worked out a cycle before it is wanted: a frame's first beat holds headers alone.
  wire [27:0]  covered = {gw_nic_pkg::ShimVersion, bounded_i, 1'b0, bound_i, head_i, 2'd0, length_i};
  logic [3:0]  crc_q;
  always_ff @(posedge clk_i) if (packed_i) crc_q <= gw_nic_pkg::crc4(covered);
  wire [255:0] shim = {176'd0, edges_i, covered[7:0], covered[15:8], covered[23:16], covered[27:24], crc_q};
  function automatic [255:0] with_shim(input [255:0] header, input [255:0] turned_shim, input [2:0] beat,
                                       input [7:0] payload_at);
    with_shim = beat < payload_at[7:5]  ? header
              : beat == payload_at[7:5] ? gw_nic_tx_pkg::spliced(header, turned_shim, {1'b0, payload_at[4:0]})
              :                           gw_nic_tx_pkg::spliced(turned_shim, 256'd0,
                                                                 {1'b0, payload_at[4:0]});
  endfunction

  // Stream: turned to where it begins; the part that leaves a beat at its top comes into the next one at its
  // bottom.
  // One branch around all of it: a simulator then works it out for packed frames, and the headers for their
  // first beats.
  wire in_front = beat_i <= payload_at_i[7:5] + 3'd1;
  wire first = beat_i == 3'd0;  // none of the stream is in it, and what is carried is another frame's
  logic [255:0] carry_q;  // the beat before, turned
  wire  [255:0] front, turned, stream;
  assign front = (packed_i && in_front) ? with_shim(headers(original_i, beat_i, ip, tag_i, checksum_i,
                                                            checksum_at_i[6:1]),
                                                gw_nic_tx_pkg::turned(shim, payload_at_i[4:0]), beat_i,
                                                  payload_at_i) : 256'd0;
  assign turned = (packed_i && has_stream_i) ? gw_nic_tx_pkg::turned(stream_i, stream_at_i) : 256'd0;
  assign stream =
      (packed_i && !first) ? gw_nic_tx_pkg::spliced(carry_q, turned, {1'b0, stream_at_i}) : 256'd0;
  always_ff @(posedge clk_i) if (valid_i) carry_q <= turned;

  wire unused_place = checksum_at_i[0];
  wire [255:0] beyond = gw_nic_tx_pkg::from_byte(count_i);
  assign data_o = ((original_i & {256{~packed_i}}) | front | stream) & ~beyond;
  assign keep_o = ~(32'hFFFF_FFFF << count_i);
endmodule

`default_nettype wire
