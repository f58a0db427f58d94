// Memory of parameters and optimizer states, a row for each round of a frame.
// Latency 1 cycle from the address to row_o; one row read and one written back a cycle.
// Optimizer switch (IEICE'21) section 5.2, Figure 12.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One port reads rows for the array and, in other cycles, reads and writes for the host; the other one writes
// new rows back. Where both write a cell, the new one counts.
module gw_optimization_rows #(
  parameter int Lanes = 32,
  parameter int States = 0,
  parameter int DepthLog2 = 10,
  localparam int LanesLog2 = $clog2(Lanes),
  localparam int Width     = 32 * Lanes,
  localparam int RowBits   = Width * (1 + States)
) (
  input  wire logic                 clk_i,
  // a round may be dispatched; not whether it is, which is late
  input  wire logic                 pending_i,
  input  wire logic [DepthLog2-1:0] sequence_i,     // its frame's, and which round it is
  input  wire logic [5:0]           round_i,
  output logic [RowBits-1:0]        row_o,          // states, parameters
  input  wire logic                 cfg_takes_i,    // the host takes the port
  input  wire logic                 cfg_look_i,
  input  wire logic                 cfg_write_i,
  input  wire logic                 cfg_alone_i,    // one cell
  input  wire logic [31:0]          cfg_address_i,
  input  wire logic [31:0]          cfg_data_i,
  input  wire logic [Width-1:0]     cfg_row_i,
  input  wire logic [Lanes-1:0]     cfg_lanes_i,
  input  wire logic                 done_i,         // a round is through
  input  wire logic [DepthLog2-1:0] done_sequence_i,
  input  wire logic [5:0]           done_round_i,
  input  wire logic [5:0]           done_here_i,    // its lanes that carry values
  input  wire logic [RowBits-1:0]   done_row_i
);
  localparam int Rounds    = 32 / Lanes;  // of a full frame
  localparam int RoundBits = Rounds > 1 ? $clog2(Rounds) : 1;
  localparam int RowsLog2  = DepthLog2 + 5 - LanesLog2;
  (* ram_style = "block" *) logic [RowBits-1:0] row_memory [0:(1 << RowsLog2)-1];
  wire [RowsLog2-1:0] cfg_at = cfg_address_i[LanesLog2 +: RowsLog2];
  wire [RowsLog2-1:0] row_at, write_at;
  if (Rounds > 1) begin : gen_at
    assign row_at   = cfg_takes_i ? cfg_at : {sequence_i, round_i[RoundBits-1:0]};
    assign write_at = {done_sequence_i, done_round_i[RoundBits-1:0]};
  end else begin : gen_at
    assign row_at   = cfg_takes_i ? cfg_at : sequence_i;
    assign write_at = done_sequence_i;
  end

  wire [(1+States)*Lanes-1:0] row_write, host_write;
  wire [Lanes-1:0] carried  = ~({Lanes{1'b1}} << done_here_i);
  wire             same_row = cfg_at == write_at;
  for (genvar b = 0; b <= States; b++) begin : gen_write
    assign row_write[Lanes*b +: Lanes]  = carried & {Lanes{done_i}};
    assign host_write[Lanes*b +: Lanes] = cfg_lanes_i
                                          & {Lanes{cfg_write_i && {29'd0, cfg_address_i[30:28]} == b}}
                                          & ~(row_write[Lanes*b +: Lanes] & {Lanes{same_row}});
  end
  always_ff @(posedge clk_i) begin
    if (pending_i || cfg_look_i) row_o <= row_memory[row_at];
    // here and below: once, though each lane's bit says it, too, for a simulator asks in every cycle
    if (cfg_write_i) begin
      for (int b = 0; b <= States; b++) begin
        for (int i = 0; i < Lanes; i++) begin
          if (host_write[Lanes*b + i]) begin
            row_memory[row_at][Width*b + 32*i +: 32] <= cfg_alone_i ? cfg_data_i : cfg_row_i[32*i +: 32];
          end
        end
      end
    end
    if (done_i) begin
      for (int b = 0; b <= States; b++) begin
        for (int i = 0; i < Lanes; i++) begin
          if (row_write[Lanes*b + i]) row_memory[write_at][Width*b
                                                           + 32*i +: 32] <= done_row_i[Width*b + 32*i +: 32];
        end
      end
    end
  end
  wire unused = ^{cfg_address_i, round_i, done_round_i};
endmodule

`default_nettype wire
