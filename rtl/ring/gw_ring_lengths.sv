// Lengths of a bank's chunks in words of four bytes, one a slot, in LUT RAM.
// Latency 1 cycle from write to read; two places are read in the cycle in which they are asked for.
// Ring allreduce in the NIC (NTT); no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Nothing is reset: a slot is read after it was written.
module gw_ring_lengths #(
  parameter int SlotsLog2 = 7
) (
  input  wire logic        clk_i,
  input  wire logic        write_i,
  input  wire logic [31:0] write_chunk_i,
  input  wire logic [11:0] write_words_i,
  input  wire logic [31:0] chunk_i,
  output logic [11:0]      words_o,
  input  wire logic [31:0] other_chunk_i,
  output logic [11:0]      other_words_o
);
  localparam int AddressBits = SlotsLog2 > 0 ? SlotsLog2 : 1;
  localparam logic [AddressBits-1:0] Mask = AddressBits'((1 << SlotsLog2) - 1);
  wire unused = ^{write_chunk_i, chunk_i, other_chunk_i};  // chunks have more bits than slots

  (* ram_style = "distributed" *) logic [11:0] memory_q [0:(1 << SlotsLog2)-1];
  always_ff @(posedge clk_i) if (write_i) memory_q[write_chunk_i[AddressBits-1:0] & Mask] <= write_words_i;
  assign words_o       = memory_q[chunk_i[AddressBits-1:0] & Mask];
  assign other_words_o = memory_q[other_chunk_i[AddressBits-1:0] & Mask];
endmodule

`default_nettype wire
