// Iterative processing elements: one adder, multiplier, divider with root and minimum take turns, by a fixed
// schedule.
// Latency gw_optimizer_pkg::latency(Algorithm, 1, Fast, EpsOutside), which is also the least distance of two
// valid_i; no stall.
// Optimizer switch (IEICE'21) section 5.3, Figures 5 to 8: the graphs; sharing is ours. For speed:
// gw_pe_pipeline.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One control for all lanes: a step counter, from which each operator's operands are chosen. Ports as
// gw_optimizer_array's.
module gw_pe_iterative #(
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
  localparam int Profile = Fast ? 3 : 2;
  localparam int Number = gw_optimizer_pkg::graph(Algorithm, EpsOutside ? 1 : 0);
  localparam int Latency = gw_optimizer_pkg::latency(Algorithm, 1, Profile - 2, EpsOutside ? 1 : 0);
  localparam logic [24*MaxNodes-1:0] Graph = gw_optimizer_pkg::Graphs[24*MaxNodes*Number +: 24*MaxNodes];
  localparam logic [31:0] Outputs = gw_optimizer_pkg::Outputs[32*Number +: 32];
  localparam logic [8*Values-1:0] Ready =
    gw_optimizer_pkg::Schedules[8*Values*(4*Number + Profile) +: 8*Values];
  localparam logic [63:0] Cycles = gw_optimizer_pkg::Cycles[64*Profile +: 64];

  // Units: 0 add and subtract, 1 multiply, 2 divide and root, 3 minimum. Of each node {unit, turn}: the
  // how-manieth that unit computes. Unit 7: none.
  localparam int Units = 4;
  localparam int MaxTurns = 16;
  function automatic [8*MaxNodes-1:0] turns_of(input [24*MaxNodes-1:0] graph);
    logic [7:0]  op;
    logic [3:0]  unit;
    logic [63:0] count;
    count = '0;
    for (int i = 0; i < MaxNodes; i = i + 1) begin
      op = graph[24 * (MaxNodes - 1 - i) + 16 +: 8];
      unit = op == 8'd0 ? 4'd7 : op <= 8'd2 ? 4'd0 : op == 8'd3 ? 4'd1 : op <= 8'd5 ? 4'd2 : 4'd3;
      turns_of[8*i +: 8] = {unit, count[8 * {28'd0, unit} +: 4]};
      count[8 * {28'd0, unit} +: 8] = count[8 * {28'd0, unit} +: 8] + 8'd1;
    end
  endfunction
  localparam logic [8*MaxNodes-1:0] Turns = turns_of(Graph);

  // Step 0 is the cycle with valid_i, step Latency that with valid_o. 0 also while there is nothing to do.
  logic [7:0] step_q;
  logic       valid_q;
  wire        last = step_q == 8'(Latency);
  wire [7:0]  step_d = valid_i ? 8'd1 : step_q == 8'd0 || last ? 8'd0 : step_q + 8'd1;
  assign valid_o = valid_q;
  always_ff @(posedge clk_i) begin
    step_q  <= rst_ni ? step_d : 8'd0;
    valid_q <= rst_ni && step_q == 8'(Latency - 1);
  end

  // Values in the cycle in which they are there (value), and ever after (held). Registers always are.
  wire [Width-1:0] value [0:Values-1] /* verilator split_var */;
  wire [Width-1:0] held  [0:Values-1] /* verilator split_var */;
  for (genvar v = 0; v < FirstNode; v++) begin : gen_source
    if (v < gw_optimizer_pkg::Sources) begin : gen_input
      logic [Width-1:0] data_q;
      if (v == 0) begin : gen_theta
        always_ff @(posedge clk_i) if (valid_i) data_q <= theta_i;
      end else if (v == 1) begin : gen_gradient
        always_ff @(posedge clk_i) if (valid_i) data_q <= gradient_i;
      end else begin : gen_state
        always_ff @(posedge clk_i) if (valid_i) data_q <= state_i[Width*(v-2) +: Width];
      end
      assign held[v] = data_q;
    end else if (v == 5) begin : gen_one
      assign held[v] = {Lanes{32'h3F80_0000}};
    end else if (v < 15) begin : gen_hyper
      assign held[v] = {Lanes{registers_i[32*(v-6) +: 32]}};
    end else begin : gen_none
      assign held[v] = '0;
    end
    assign value[v] = held[v];
  end

  // Operands by unit and turn; what a unit has not so many turns for repeats an earlier one, which costs the
  // least.
  wire [Width-1:0] operand_a [0:Units*MaxTurns-1] /* verilator split_var */;
  wire [Width-1:0] operand_b [0:Units*MaxTurns-1] /* verilator split_var */;
  wire [Width-1:0] result    [0:Units-1] /* verilator split_var */;

  function automatic int count_of(input [3:0] unit);
    count_of = 0;
    for (int i = 0; i < MaxNodes; i = i + 1) if (Turns[8*i + 4 +: 4] == unit) count_of = count_of + 1;
  endfunction

  for (genvar i = 0; i < MaxNodes; i++) begin : gen_node
    localparam int Unit = 32'(Turns[8*i + 4 +: 4]);
    localparam int Turn = 32'(Turns[8*i +: 4]);
    if (Unit < Units) begin : gen_operator
      localparam int Op = 32'(Graph[24*(MaxNodes - 1 - i) + 16 +: 8]);
      localparam int A = 32'(Graph[24*(MaxNodes - 1 - i) + 8 +: 8]);
      localparam int B = 32'(Graph[24*(MaxNodes - 1 - i) +: 8]);
      localparam int Done = 32'(Ready[8*(FirstNode + i) +: 8]);
      localparam int Load = Done - 32'(Cycles[8*Op +: 8]) - 1;
      assign operand_a[MaxTurns*Unit + Turn] = 32'(Ready[8*A +: 8]) == Load ? value[A] : held[A];
      assign operand_b[MaxTurns*Unit + Turn] = 32'(Ready[8*B +: 8]) == Load ? value[B] : held[B];
      assign value[FirstNode+i] = result[Unit];
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i) if (step_q == 8'(Done)) data_q <= value[FirstNode+i];
      assign held[FirstNode+i] = data_q;
    end else begin : gen_nop
      assign value[FirstNode+i] = '0;
      assign held[FirstNode+i] = '0;
    end
  end

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    localparam int Count = count_of(u[3:0]);
    for (genvar t = Count; t < MaxTurns; t++) begin : gen_unused
      localparam int Without2 = t & ~2;
      localparam int Without3 = Without2 < Count ? Without2 : t & ~3;
      localparam int Without7 = Without3 < Count ? Without3 : t & ~7;
      localparam int Turn = Without7 < Count ? Without7 : 0;
      if (Count == 0) begin : gen_zero
        assign operand_a[MaxTurns*u + t] = '0;
        assign operand_b[MaxTurns*u + t] = '0;
      end else begin : gen_alias
        assign operand_a[MaxTurns*u + t] = operand_a[MaxTurns*u + Turn];
        assign operand_b[MaxTurns*u + t] = operand_b[MaxTurns*u + Turn];
      end
    end
    if (Count == 0) begin : gen_none
      assign result[u] = '0;
    end else begin : gen_some
      // {variant, turn}: whether the unit subtracts or takes a root, and which turn's operands are loaded in
      // this step. Decided a cycle before.
      logic [4:0] choice_d, choice_q;
      logic       load_d, load_q, start_q, variant_q;
      always_comb begin
        choice_d = 5'd0;
        load_d = 1'b0;
        for (int i = 0; i < MaxNodes; i = i + 1) begin
          if (Turns[8*i + 4 +: 4] == u[3:0]
              && step_d == Ready[8*(FirstNode + i) +: 8]
                           - Cycles[8 * {24'd0, Graph[24*(MaxNodes - 1 - i) + 16 +: 8]} +: 8] - 8'd1) begin
            load_d = 1'b1;
            choice_d = {Graph[24*(MaxNodes - 1 - i) + 16 +: 8] == gw_optimizer_pkg::Sub
                        || Graph[24*(MaxNodes - 1 - i) + 16 +: 8] == gw_optimizer_pkg::Sqrt, Turns[8*i +: 4]};
          end
        end
      end
      always_ff @(posedge clk_i) begin
        load_q <= rst_ni && load_d;
        start_q <= rst_ni && load_q;
        choice_q <= choice_d;
      end

      wire       variant;
      wire [3:0] c;
      assign {variant, c} = choice_q;
      logic [Width-1:0] a_q, b_q;
      localparam int At = MaxTurns * u;
      always_ff @(posedge clk_i) begin
        if (load_q) begin
          variant_q <= variant;
          a_q <= c[3] ? (c[2] ? (c[1] ? (c[0] ? operand_a[At+15] : operand_a[At+14])
                                      : (c[0] ? operand_a[At+13] : operand_a[At+12]))
                              : (c[1] ? (c[0] ? operand_a[At+11] : operand_a[At+10])
                                      : (c[0] ? operand_a[At+9] : operand_a[At+8])))
                      : (c[2] ? (c[1] ? (c[0] ? operand_a[At+7] : operand_a[At+6])
                                      : (c[0] ? operand_a[At+5] : operand_a[At+4]))
                              : (c[1] ? (c[0] ? operand_a[At+3] : operand_a[At+2])
                                      : (c[0] ? operand_a[At+1] : operand_a[At])));
          b_q <= c[3] ? (c[2] ? (c[1] ? (c[0] ? operand_b[At+15] : operand_b[At+14])
                                      : (c[0] ? operand_b[At+13] : operand_b[At+12]))
                              : (c[1] ? (c[0] ? operand_b[At+11] : operand_b[At+10])
                                      : (c[0] ? operand_b[At+9] : operand_b[At+8])))
                      : (c[2] ? (c[1] ? (c[0] ? operand_b[At+7] : operand_b[At+6])
                                      : (c[0] ? operand_b[At+5] : operand_b[At+4]))
                              : (c[1] ? (c[0] ? operand_b[At+3] : operand_b[At+2])
                                      : (c[0] ? operand_b[At+1] : operand_b[At])));
        end
      end

      // What is in the operator, by its registers.
      localparam int OpCycles = u == 0 ? 32'(Cycles[8 +: 8]) : u == 1 ? 32'(Cycles[24 +: 8])
                              : u == 2 ? 1 : 32'(Cycles[48 +: 8]);
      logic [OpCycles-1:0] moving_q;
      wire  [OpCycles:0]   moving = {moving_q, start_q};
      always_ff @(posedge clk_i) moving_q <= moving[OpCycles-1:0] & {OpCycles{rst_ni}};
      wire unused_moving = ^moving;
      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        if (u == 0) begin : gen_add
          gw_fp_add #(.Latency(OpCycles), .Subnormal(Subnormal)) u_add (
            .clk_i,
            .enable_i   (moving[OpCycles-1:0]),
            .subtract_i (variant_q),
            .a_i        (a_q[32*l +: 32]),
            .b_i        (b_q[32*l +: 32]),
            .result_o   (result[u][32*l +: 32])
          );
        end else if (u == 1) begin : gen_mul
          gw_fp_mul #(.Latency(OpCycles), .Subnormal(Subnormal)) u_mul (
            .clk_i, .enable_i(moving[OpCycles-1:0]), .a_i(a_q[32*l +: 32]), .b_i(b_q[32*l +: 32]),
            .result_o(result[u][32*l +: 32])
          );
        end else if (u == 2) begin : gen_divsqrt
          gw_fp_divsqrt_iterative #(.Subnormal(Subnormal)) u_divsqrt (
            .clk_i, .rst_ni,
            .start_i  (start_q),
            .root_i   (variant_q),
            .a_i      (a_q[32*l +: 32]),
            .b_i      (b_q[32*l +: 32]),
            .result_o (result[u][32*l +: 32])
          );
        end else begin : gen_min
          wire unused_less;
          gw_fp_compare #(.Latency(OpCycles), .Subnormal(Subnormal)) u_compare (
            .clk_i, .enable_i(moving[OpCycles-1:0]), .a_i(a_q[32*l +: 32]), .b_i(b_q[32*l +: 32]),
            .min_o(result[u][32*l +: 32]), .less_o(unused_less)
          );
        end
      end
      wire unused_variant = variant_q;
    end
  end

  // theta' is the last value. A state' may be as late.
  assign theta_o = value[32'(Outputs[7:0])];
  for (genvar k = 0; k < 3; k++) begin : gen_state
    localparam int Value = 32'(Outputs[8*(k+1) +: 8]);
    assign state_o[Width*k +: Width] = 32'(Ready[8*Value +: 8]) == Latency ? value[Value] : held[Value];
  end
endmodule

`default_nettype wire
