// Pipelined processing elements: an operator for each node of the optimizer's graph. For fewer operators:
// gw_pe_iterative.
// Latency gw_optimizer_pkg::latency(Algorithm, 0, Fast, EpsOutside), one step of `Lanes` parameters a cycle,
// no stall.
// Optimizer switch (IEICE'21) section 5.3, Figures 5 to 8.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Lanes share delays and control, not arithmetic. Ports as gw_optimizer_array's.
module gw_pe_pipeline #(
  parameter int Algorithm = 0,
  parameter int Lanes = 32,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  localparam int Width = 32 * Lanes
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic [32*9-1:0]    registers_i,
  input  wire logic               valid_i,
  input  wire logic [Width-1:0]   theta_i,
  input  wire logic [Width-1:0]   gradient_i,
  input  wire logic [3*Width-1:0] state_i,
  output logic                    valid_o,
  output logic [Width-1:0]        theta_o,
  output logic [3*Width-1:0]      state_o
);
  localparam int MaxNodes = gw_optimizer_pkg::MaxNodes;
  localparam int FirstNode = gw_optimizer_pkg::FirstNode;
  localparam int Values = gw_optimizer_pkg::Values;
  localparam int Profile = Fast ? 1 : 0;
  localparam int Number = gw_optimizer_pkg::graph(Algorithm, EpsOutside ? 1 : 0);
  localparam int Latency = gw_optimizer_pkg::latency(Algorithm, 0, Profile, EpsOutside ? 1 : 0);
  localparam logic [24*MaxNodes-1:0] Graph = gw_optimizer_pkg::Graphs[24*MaxNodes*Number +: 24*MaxNodes];
  localparam logic [31:0] Outputs = gw_optimizer_pkg::Outputs[32*Number +: 32];
  localparam logic [8*Values-1:0] Ready =
    gw_optimizer_pkg::Schedules[8*Values*(4*Number + Profile) +: 8*Values];
  localparam logic [63:0] Cycles = gw_optimizer_pkg::Cycles[64*Profile +: 64];

  // Uses of values: operands a and b of node i are 2 i and 2 i + 1, what leaves follows.
  localparam int FirstOutput = 2 * MaxNodes;
  localparam int Uses = FirstOutput + 4;

  // {from, cycle, value} of each use. A value that waits for several uses waits in one line of delays: each
  // is taken from the one before it, `from`, or from the value itself (None).
  localparam logic [7:0] None = 8'd255;
  function automatic [24*Uses-1:0] uses_of(input [24*MaxNodes-1:0] graph, input [31:0] outputs);
    logic [23:0] node;
    logic [7:0]  best, cycle, value;
    uses_of = '0;
    for (int i = 0; i < MaxNodes; i = i + 1) begin
      node = graph[24 * (MaxNodes - 1 - i) +: 24];
      cycle = Ready[8 * (FirstNode + i) +: 8] - Cycles[8 * {24'd0, node[23:16]} +: 8];
      uses_of[24 * (2 * i) +: 24] = {None, cycle, node[15:8]};
      uses_of[24 * (2 * i + 1) +: 24] = {None, cycle, node[7:0]};
    end
    for (int k = 0; k < 4; k = k + 1) begin
      uses_of[24 * (FirstOutput + k) +: 24] = {None, Latency[7:0], outputs[8*k +: 8]};
    end
    for (int u = 0; u < Uses; u = u + 1) begin
      value = uses_of[24*u +: 8];
      cycle = uses_of[24*u + 8 +: 8];
      best = None;
      for (int t = 0; t < Uses; t = t + 1) begin
        if (uses_of[24*t +: 8] == value && (uses_of[24*t + 8 +: 8] < cycle
            || (uses_of[24*t + 8 +: 8] == cycle && t < u))) begin
          if (best == None) best = t[7:0];
          else if (uses_of[24*t + 8 +: 8] >= uses_of[24 * {24'd0, best} + 8 +: 8]) best = t[7:0];
        end
      end
      uses_of[24*u + 16 +: 8] = best;
    end
  endfunction
  localparam logic [24*Uses-1:0] AllUses = uses_of(Graph, Outputs);

  logic [Latency-1:0] valid_q;
  logic [7:0]         count_q;
  wire  [Latency:0]   active = {valid_q, valid_i};  // by cycle: what is worked at, the rest stands still
  assign valid_o = valid_q[Latency-1];
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[Latency-2:0], valid_i} : '0;
    count_q <= rst_ni ? count_q + 8'd1 : '0;
  end

  // Values when they are there; registers are always.
  wire [Width-1:0] value [0:Values-1] /* verilator split_var */;
  assign value[0] = theta_i;
  assign value[1] = gradient_i;
  for (genvar k = 0; k < 3; k++) begin : gen_state
    assign value[2+k] = state_i[Width*k +: Width];
  end
  assign value[5] = {Lanes{32'h3F80_0000}};
  for (genvar r = 0; r < 9; r++) begin : gen_hyper
    assign value[6+r] = {Lanes{registers_i[32*r +: 32]}};
  end
  assign value[15] = '0;

  // Values when they are used.
  wire [Width-1:0] used [0:Uses-1] /* verilator split_var */;
  for (genvar u = 0; u < Uses; u++) begin : gen_use
    localparam int Value = 32'(AllUses[24*u +: 8]);
    localparam int Cycle = 32'(AllUses[24*u + 8 +: 8]);
    localparam int From = 32'(AllUses[24*u + 16 +: 8]);
    if (Value >= gw_optimizer_pkg::Sources && Value < FirstNode) begin : gen_constant
      assign used[u] = value[Value];
    end else begin : gen_delay
      localparam int Since = From == 255 ? 32'(Ready[8*Value +: 8]) : 32'(AllUses[24*(From % Uses) + 8 +: 8]);
      localparam int Depth = Cycle - Since;
      gw_delay #(.Width(Width), .Depth(Depth)) u_delay (
        .clk_i, .enable_i(active[Since +: Depth == 0 ? 1 : Depth]), .count_i(count_q),
        .d_i(From == 255 ? value[Value] : used[From % Uses]), .q_o(used[u])
      );
    end
  end

  // Operators.
  for (genvar i = 0; i < MaxNodes; i++) begin : gen_node
    localparam logic [7:0] Op = Graph[24*(MaxNodes - 1 - i) + 16 +: 8];
    localparam int OpCycles = 32'(Cycles[8*32'(Op) +: 8]);
    localparam int Start = 32'(Ready[8*(FirstNode + i) +: 8]) - OpCycles;
    if (Op == gw_optimizer_pkg::Nop) begin : gen_nop
      assign value[FirstNode+i] = '0;
    end else begin : gen_lanes
      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        gw_pe_operator #(.Op(32'(Op)), .Latency(OpCycles), .Subnormal(Subnormal)) u_operator (
          .clk_i, .enable_i(active[Start +: OpCycles]), .a_i(used[2*i][32*l +: 32]),
            .b_i(used[2*i+1][32*l +: 32]),
          .result_o(value[FirstNode+i][32*l +: 32])
        );
      end
    end
  end

  assign theta_o = used[FirstOutput];
  assign state_o = {used[FirstOutput+3], used[FirstOutput+2], used[FirstOutput+1]};
endmodule

`default_nettype wire
