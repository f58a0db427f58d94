// Gradients of the frames that are within, a bank for each payload beat, and those of a round.
// Latency 1 cycle from the place that is read, the round a cycle after it; one beat in, one round out a
// cycle.
// Optimizer switch (IEICE'21) section 5.2, Figure 12.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_optimization_gather #(
  parameter int Lanes = 32,
  localparam int LanesLog2 = $clog2(Lanes),
  localparam int Width     = 32 * Lanes
) (
  input  wire logic             clk_i,
  // as soon as a beat is offered: until it is issued it stays the same, and its place its own
  input  wire logic             write_i,
  input  wire logic [5:0]       place_i,
  input  wire logic [1:0]       row_i,     // which of the payload's beats it is
  input  wire logic [255:0]     data_i,
  input  wire logic             read_i,
  input  wire logic [5:0]       read_place_i,
  input  wire logic [5:0]       round_i,
  output logic [Width-1:0]      gradient_o
);
  (* ram_style = "distributed" *) logic [255:0] gather0_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather1_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather2_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather3_memory [0:63];
  logic [255:0] gather0_q, gather1_q, gather2_q, gather3_q;
  always_ff @(posedge clk_i) begin
    if (write_i && row_i == 2'd0) gather0_memory[place_i] <= data_i;
    if (write_i && row_i == 2'd1) gather1_memory[place_i] <= data_i;
    if (write_i && row_i == 2'd2) gather2_memory[place_i] <= data_i;
    if (write_i && row_i == 2'd3) gather3_memory[place_i] <= data_i;
  end
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      gather0_q <= gather0_memory[read_place_i];
      gather1_q <= gather1_memory[read_place_i];
      gather2_q <= gather2_memory[read_place_i];
      gather3_q <= gather3_memory[read_place_i];
    end
  end
  wire [1023:0] gathered = {gather3_q, gather2_q, gather1_q, gather0_q};
  if (Lanes < 32) begin : gen_select
    wire [1023:0] shifted = gathered >> {round_i[4:0], {LanesLog2{1'b0}}, 5'd0};
    wire unused_shifted = ^{round_i[5], shifted[1023:Width]};
    assign gradient_o = shifted[Width-1:0];
  end else begin : gen_all
    wire unused_round = ^round_i;
    assign gradient_o = gathered;
  end
endmodule

`default_nettype wire
