// FIFO that takes none, one or two words a cycle and gives one. With one writer take gw_fifo.
// Latency 1 cycle from write to read; two writes and one read a cycle.
// Common cell; the output queue after INCEPTIONN's Alignment Unit, section VI-A, which can complete two
// bursts at once.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Words alternate between two banks, so that each bank has one write port. The user counts the free places
// (there is no ready). Each bank could hold all Depth words: the places at the write pointer are always free,
// hence written in every cycle without an enable. Up to Depth = 32 this costs nothing, because a LUT RAM has
// 32 places anyway.
module gw_fifo_2w #(
  parameter int Width = 32,
  parameter int DepthLog2 = 5,
  localparam int Depth = 1 << DepthLog2
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             first_valid_i,
  input  wire logic [Width-1:0] first_i,
  input  wire logic             second_valid_i,  // only together with first_valid_i
  input  wire logic [Width-1:0] second_i,
  output logic                  valid_o,
  input  wire logic             ready_i,
  output logic [Width-1:0]      data_o
);
  logic [DepthLog2:0]   write_q, read_q, write_d, next;
  (* ram_style = "distributed" *) logic [Width-1:0] even_q [0:Depth-1];
  (* ram_style = "distributed" *) logic [Width-1:0] odd_q  [0:Depth-1];

  assign next    = read_q + {{DepthLog2{1'b0}}, 1'b1};
  assign write_d = write_q + {{DepthLog2{1'b0}}, first_valid_i} + {{DepthLog2{1'b0}}, second_valid_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      write_q <= write_d;
      if (valid_o & ready_i) read_q <= next;
      valid_o <= write_d != read_q && !(valid_o && ready_i && write_d == next);
    end
  end

  wire [Width-1:0]     at_odd     = {Width{write_q[0]}};
  wire [DepthLog2-1:0] odd_place  = write_q[DepthLog2:1];
  wire [DepthLog2-1:0] even_place = write_q[DepthLog2:1] + {{(DepthLog2 - 1){1'b0}}, write_q[0]};

  always_ff @(posedge clk_i) begin
    even_q[even_place] <= (first_i & ~at_odd) | (second_i & at_odd);
    odd_q[odd_place]   <= (first_i & at_odd) | (second_i & ~at_odd);
  end

  wire [Width-1:0]     from_odd = {Width{read_q[0]}};
  wire [DepthLog2-1:0] place    = read_q[DepthLog2:1];
  assign data_o = (even_q[place] & ~from_odd) | (odd_q[place] & from_odd);

  wire [DepthLog2:0] held = write_q - read_q;
  `GW_ASSERT(SecondOnlyWithFirst, first_valid_i || !second_valid_i)
  `GW_ASSERT(UserCountsTheRoom, held <= Depth[DepthLog2:0])
endmodule

`default_nettype wire
