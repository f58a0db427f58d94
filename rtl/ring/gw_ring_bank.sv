// Bank of chunks in block RAM: one write and one read a cycle.
// Latency 1 cycle from write to read, 2 from read to data.
// Ring allreduce in the NIC (NTT): the SRAM beside the adder.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Nothing is reset: a bank keeps what it holds. Data stays until the next read's.
module gw_ring_bank #(
  parameter int PlacesLog2 = 12
) (
  input  wire logic         clk_i,
  input  wire logic         write_i,
  input  wire logic [16:0]  write_place_i,
  input  wire logic [511:0] write_data_i,
  input  wire logic         read_i,
  input  wire logic [16:0]  read_place_i,
  output logic [511:0]      read_data_o   // two cycles later
);
  localparam int AddressBits = PlacesLog2 > 0 ? PlacesLog2 : 1;
  wire unused = ^{write_place_i, read_place_i};  // places of smaller banks are shorter

  (* ram_style = "block" *) logic [511:0] memory_q [0:(1 << PlacesLog2)-1];
  logic         read_q;
  logic [511:0] data_q;
  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[write_place_i[AddressBits-1:0]] <= write_data_i;
    if (read_i) data_q <= memory_q[read_place_i[AddressBits-1:0]];
    read_q <= read_i;
    if (read_q) read_data_o <= data_q;
  end
endmodule

`default_nettype wire
