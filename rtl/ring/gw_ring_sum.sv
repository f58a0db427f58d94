// Decides when chunks are added, reads both and says where the sum goes.
// Beat j of a sum that starts in s is read in s+j and written in s+j+A+2; one beat a cycle.
// Ring allreduce in the NIC (NTT); rule Sum of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_sum #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter int          AddLatency = 5,
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        open_i,         // sums may start: there is a left neighbour, and no error
  input  wire logic [31:0] loaded_i,       // gradients below it are here
  input  wire logic [31:0] arrived_i,      // of the left neighbour's sums, too
  input  wire logic [31:0] free_i,         // there is credit for chunks below it
  input  wire logic [11:0] own_words_i,    // of chunk summing_o
  input  wire logic [11:0] other_words_i,
  output logic [31:0]      summing_o,      // sums begun
  output logic [31:0]      read_chunk_o,   // sums read
  output logic [31:0]      summed_o,       // sums that can be sent
  output logic             start_o,
  output logic             differ_o,       // the two chunks are not of the same bytes
  output logic             read_o,         // a beat of both is read
  output logic [16:0]      read_place_o,
  output logic             adding_o,       // both beats are at the adders
  output logic             write_o,        // a beat of the sum is written
  output logic [16:0]      write_place_o
);
  // 1. Start, and the beats to be read.
  logic       busy_q;  // beats are left to be read
  logic [6:0] beat_q, end_q;
  wire        may   = open_i && !busy_q && !gw_ring_pkg::near_same(summing_o, loaded_i)
                      && !gw_ring_pkg::near_same(summing_o, arrived_i)
                      && !gw_ring_pkg::near_same(summing_o, free_i);
  wire        same  = own_words_i == other_words_i;
  wire  [6:0] end_d = gw_ring_pkg::last_beat(own_words_i);
  wire        ends  = start_o ? end_d == 7'd0 : busy_q & beat_q == end_q;
  assign start_o      = may & same;
  assign differ_o     = may & ~same;
  assign read_o       = start_o | busy_q;
  assign read_place_o = gw_ring_pkg::place(read_chunk_o, beat_q, SlotsLog2, BeatsLog2);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      beat_q       <= '0;
      summing_o    <= First;
      read_chunk_o <= First;
    end else begin
      busy_q <= read_o & ~ends;
      if (read_o) beat_q <= ends ? 7'd0 : beat_q + 7'd1;
      if (start_o) summing_o <= summing_o + 32'd1;
      if (ends) read_chunk_o <= read_chunk_o + 32'd1;
    end
  end
  always_ff @(posedge clk_i) if (start_o) end_q <= end_d;

  // 2. Where sums go when they come out of the adders, and when a chunk's first beat does.
  localparam int Stages = AddLatency + 2;
  logic [Stages-1:0] started_q, writes_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= '0;
      writes_q  <= '0;
      summed_o  <= First;
    end else begin
      started_q <= {started_q[Stages-2:0], start_o};
      writes_q  <= {writes_q[Stages-2:0], read_o};
      if (started_q[Stages-2]) summed_o <= summed_o + 32'd1;
    end
  end
  assign write_o = writes_q[Stages-1];
  // Sums are written in the order in which they are read, chunk after chunk, beat after beat.
  wire [16:0] tap [0:Stages] /* verilator split_var */;
  assign tap[0] = read_place_o;
  for (genvar i = 0; i < Stages; i++) begin : gen_place
    logic [16:0] place_q;
    always_ff @(posedge clk_i) place_q <= tap[i];
    assign tap[i+1] = place_q;
  end
  assign write_place_o = tap[Stages];
  assign adding_o      = writes_q[1];

  wire unused = started_q[Stages-1];
  `GW_ASSERT(ReadIsSummingWhenIdle, busy_q ? read_chunk_o + 32'd1 == summing_o : read_chunk_o == summing_o)
  `GW_ASSERT(SumsWithCredit, !gw_ring_pkg::below(free_i, summing_o))
endmodule

`default_nettype wire
