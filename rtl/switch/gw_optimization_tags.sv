// What the rounds in the array are, in order: written one cycle after dispatch, and read one cycle before
// they can be through.
// Latency as the array's; one round a cycle.
// docs/devices/optimizer.md, rounds.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_optimization_tags #(
  parameter int Lanes = 32,
  parameter int DepthLog2 = 10
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // of the frame whose round is dispatched in this cycle, if one is
  input  wire logic [DepthLog2-1:0] sequence_i,
  input  wire logic [5:0]           count_i,
  input  wire logic [5:0]           place_i,
  input  wire logic                 last_i,        // its last one
  input  wire logic                 dispatched_i,  // a cycle later
  input  wire logic [5:0]           round_i,
  input  wire logic                 done_i,        // the oldest round is through, which is
  output logic [DepthLog2-1:0]      sequence_o,
  output logic [5:0]                here_o,        // its lanes that carry values
  output logic [5:0]                place_o,
  output logic [5:0]                round_o,
  output logic                      last_o
);
  localparam int LanesLog2 = $clog2(Lanes);
  localparam int TagBits = DepthLog2 + 6 + 6 + 6 + 1;
  logic [DepthLog2-1:0] sequence1_q;
  logic [5:0] count1_q, place1_q;
  logic       last1_q;
  wire  [6:0] earlier1 = {1'b0, round_i} << LanesLog2;  // values of the frame in rounds before
  wire  [6:0] left1    = {1'b0, count1_q} <= earlier1 ? 7'd0 : {1'b0, count1_q} - earlier1;
  wire  [5:0] here1    = left1 >= 7'(Lanes) ? 6'(Lanes) : left1[5:0];
  logic [8:0] tag_write_q, tag_read_q;
  wire  [8:0] tag_read_d = tag_read_q + {8'd0, done_i};
  logic [TagBits-1:0] tag_q;
  (* ram_style = "distributed" *) logic [TagBits-1:0] tag_memory [0:255];
  always_ff @(posedge clk_i) begin
    sequence1_q <= sequence_i;
    count1_q    <= count_i;
    place1_q    <= place_i;
    last1_q     <= last_i;
    if (dispatched_i) tag_memory[tag_write_q[7:0]] <= {sequence1_q, here1, place1_q, round_i, last1_q};
    tag_q <= tag_memory[tag_read_d[7:0]];
  end
  assign {sequence_o, here_o, place_o, round_o, last_o} = tag_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tag_write_q <= '0;
      tag_read_q  <= '0;
    end else begin
      tag_write_q <= tag_write_q + {8'd0, dispatched_i};
      tag_read_q  <= tag_read_d;
    end
  end

  wire [8:0] tags = tag_write_q - tag_read_q;
  `GW_ASSERT(RoundsHaveTags, !done_i || tags != '0)
  `GW_ASSERT(TagsFindRoom, tags <= 9'd256)
endmodule

`default_nettype wire
