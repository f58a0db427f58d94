// The host's side of Parameter Optimization: registers that count from the next iteration on, rows of cells
// put together word by word, and what is read.
// Writes act in their cycle; cfg_data_o 3 cycles after cfg_read_i.
// docs/devices/optimizer.md, the host's port.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_optimization_host #(
  parameter int Lanes = 32,
  parameter int States = 0,
  localparam int Width   = 32 * Lanes,
  localparam int RowBits = Width * (1 + States)
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               cfg_valid_i,
  input  wire logic [31:0]        cfg_address_i,
  input  wire logic [31:0]        cfg_data_i,
  // with cfg_valid_i: a cell alone, or what the iteration uses
  input  wire logic               cfg_restore_i,
  input  wire logic               cfg_read_i,
  output logic [31:0]             cfg_data_o,
  // Registers.
  input  wire logic               begins_i,       // an iteration begins
  output logic [32*7-1:0]         host_q,         // what it uses
  output logic                    changed_q,      // one was written since the last iteration began
  // what the iteration uses is written: also what others keep of it
  output logic                    state_o,
  // The parameters' memory, by the port that the dispatcher reads rows by.
  output logic                    alone_o,        // one cell is written
  output logic                    write_o,        // that, or a row
  output logic                    look_o,         // a row is read
  output logic                    takes_o,        // any of these: the dispatcher waits
  output logic [Lanes-1:0]        lanes_o,        // that are written
  output logic [Width-1:0]        row_o,          // the row
  input  wire logic [RowBits-1:0] row_i,          // what was read, in the next cycle
  // What else is read.
  input  wire logic [63:0]        powers_i,
  input  wire logic               iterating_i,
  input  wire logic [31:0]        iteration_i
);
  wire  cfg_cell  = cfg_valid_i && cfg_address_i[31] && !cfg_restore_i;
  wire  cfg_hyper = cfg_valid_i && !cfg_address_i[31] && !cfg_restore_i;
  wire  [4:0] cfg_lane = cfg_address_i[4:0] & 5'(Lanes - 1);
  assign alone_o = cfg_valid_i && cfg_address_i[31] && cfg_restore_i;
  assign state_o = cfg_valid_i && !cfg_address_i[31] && cfg_restore_i;
  assign look_o  = cfg_read_i && cfg_address_i[31];
  assign write_o = (cfg_cell && cfg_lane == 5'(Lanes - 1)) || alone_o;
  assign takes_o = write_o || look_o;

  // 1. Registers: none changes while a frame that uses it is under way. Rows: the last word writes them.
  logic [32*7-1:0]  shadow_q;
  logic [Width-1:0] cfg_row_q;
  wire  [Width+31:0] cfg_shift = {cfg_data_i, cfg_row_q};
  assign row_o   = cfg_shift[Width+31:32];
  assign lanes_o = alone_o ? {{(Lanes-1){1'b0}}, 1'b1} << cfg_lane : {Lanes{1'b1}};
  always_ff @(posedge clk_i) begin
    for (int r = 0; r < 7; r++) begin
      if (cfg_hyper && cfg_address_i[3:0] == r[3:0]) shadow_q[32*r +: 32] <= cfg_data_i;
    end
    if (begins_i) host_q <= shadow_q;
    for (int r = 0; r < 7; r++) begin
      if (state_o && cfg_address_i[4:0] == 5'd8 + r[4:0]) host_q[32*r +: 32] <= cfg_data_i;
    end
    changed_q <= rst_ni && ((changed_q && !begins_i) || cfg_hyper);
    if (cfg_cell) cfg_row_q <= row_o;
  end

  // 2. What the host reads: the lane of each of a row's blocks, then the block; or a register, as it was when
  // asked for.
  logic        look1_q, look2_q;
  logic [4:0]  look_lane_q;
  logic [2:0]  look_block_q;
  logic [31:0] look_state_q, look_word_q;
  logic [32*(1+States)-1:0] look_lanes_q;
  wire  [1023:0] look_states = {{12{32'd0}}, powers_i, {31'd0, iterating_i}, iteration_i, 32'd0, host_q,
                                32'd0, shadow_q};
  always_ff @(posedge clk_i) begin
    look1_q <= look_o;
    look2_q <= look1_q;
    if (cfg_read_i) begin
      look_lane_q  <= cfg_lane;
      look_block_q <= cfg_address_i[30:28];
      look_state_q <= look_states[{cfg_address_i[4:0], 5'd0} +: 32];
    end
    if (look1_q) begin
      for (int b = 0; b <= States; b++) look_lanes_q[32*b +: 32] <= row_i[Width*b + 32*look_lane_q +: 32];
    end
    if (look2_q) look_word_q <= look_lanes_q[32*look_block_q +: 32];
    else look_word_q <= look_state_q;
  end
  assign cfg_data_o = look_word_q;

  wire unused = ^{cfg_address_i[27:5], cfg_shift[31:0]};
endmodule

`default_nettype wire
