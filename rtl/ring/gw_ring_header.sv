// Builds a frame's header from what is known when it is issued.
// Latency 2 cycles from the issue, one header a cycle.
// Ring allreduce in the NIC (NTT); frame: docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_ring_header #(
  parameter logic [7:0] Type = 8'd1  // of data
) (
  input  wire logic         clk_i,
  input  wire logic [7:0]   from_i,     // numbers of sender and receiver, stable, as all pins
  input  wire logic [7:0]   to_i,
  input  wire logic [15:0]  session_i,
  input  wire logic [7:0]   addends_i,  // of data
  input  wire logic         issue_i,    // a header is issued
  input  wire logic         data_i,     // of data
  input  wire logic         asks_i,
  input  wire logic [11:0]  words_i,
  input  wire logic [31:0]  chunk_i,
  input  wire logic [31:0]  ack_i,
  output logic [511:0]      header_o    // two cycles later
);
  typedef struct packed {
    logic        data;
    logic        asks;
    logic [11:0] words;
    logic [31:0] chunk;
    logic [31:0] ack;
  } fields_t;
  fields_t fields1_q, fields2_q;
  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      fields1_q.data  <= data_i;
      fields1_q.asks  <= asks_i;
      fields1_q.words <= words_i & {12{data_i}};
      fields1_q.chunk <= chunk_i & {32{data_i}};
      fields1_q.ack   <= ack_i;
    end
    fields2_q <= fields1_q;
  end

  assign header_o[8*gw_ring_pkg::DestinationByte +: 48] = {to_i, 32'd0, 8'h02};
  assign header_o[8*gw_ring_pkg::SourceByte +: 48]      = {from_i, 32'd0, 8'h02};
  assign header_o[8*gw_ring_pkg::EtherTypeByte +: 16]   = gw_ring_pkg::swap16(gw_ring_pkg::EtherType);
  assign header_o[8*gw_ring_pkg::VersionByte +: 8]      = gw_ring_pkg::Version;
  assign header_o[8*gw_ring_pkg::TypeByte +: 8]         = fields2_q.data ? Type : gw_ring_pkg::TypeControl;
  assign header_o[8*gw_ring_pkg::SessionByte +: 16]     = gw_ring_pkg::swap16(session_i);
  assign header_o[8*gw_ring_pkg::AddendsByte +: 8]      = addends_i & {8{fields2_q.data}};
  assign header_o[8*gw_ring_pkg::FlagsByte +: 8]        = {7'd0, fields2_q.asks} << gw_ring_pkg::FlagWants;
  assign header_o[8*gw_ring_pkg::LengthByte +: 16]      = gw_ring_pkg::swap16({2'd0, fields2_q.words, 2'd0});
  assign header_o[8*gw_ring_pkg::ChunkByte +: 32]       = gw_ring_pkg::swap32(fields2_q.chunk);
  assign header_o[8*gw_ring_pkg::AckByte +: 32]         = gw_ring_pkg::swap32(fields2_q.ack);
  assign header_o[511:8*gw_ring_pkg::HeaderBytes]       = '0;
endmodule

`default_nettype wire
