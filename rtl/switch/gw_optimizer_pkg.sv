// The optimizers as tables: which operator computes what from what, and in which cycle each one starts.
// Functions of constants, no latency; `latency` and `interval` are what the arrays take.
// Optimizer switch (IEICE'21) section 5.3, Tables 2 and 3; models/reference/optimizer/graph.h has the same graphs.
`default_nettype none

// algorithm: 0 SGD, 1 Adagrad, 2 Adam, 3 SMORMS3. iterative: operators are shared. fast: 0 profile paper, 1 fast.
package gw_optimizer_pkg;
  // Operators. Cycles of each: the only place that says how long one takes.
  localparam logic [7:0] Add = 8'd0;
  localparam logic [7:0] Sub = 8'd1;
  localparam logic [7:0] Mul = 8'd2;
  localparam logic [7:0] Div = 8'd3;
  localparam logic [7:0] Sqrt = 8'd4;
  localparam logic [7:0] Min = 8'd5;

  function automatic int cycles(input [7:0] op, input int iterative, input int fast);
    case (op)
      Add, Sub: cycles = fast != 0 ? 6 : 12;
      Mul:      cycles = fast != 0 ? 4 : 9;
      Div:      cycles = iterative != 0 ? 30 : fast != 0 ? 14 : 29;  // shared: gw_fp_divsqrt_iterative
      Sqrt:     cycles = iterative != 0 ? 30 : fast != 0 ? 14 : 28;
      default:  cycles = fast != 0 ? 1 : 2;
    endcase
  endfunction

  // Values: what comes in, the registers (rising, from word 0), and behind them the nodes.
  localparam logic [7:0] Theta = 8'd0;
  localparam logic [7:0] Gradient = 8'd1;
  localparam logic [7:0] State0 = 8'd2;
  localparam logic [7:0] State1 = 8'd3;
  localparam logic [7:0] State2 = 8'd4;
  localparam logic [7:0] One = 8'd5;
  localparam logic [7:0] Lr = 8'd6;
  localparam logic [7:0] Eps = 8'd7;
  localparam logic [7:0] Beta1 = 8'd8;
  localparam logic [7:0] Beta2 = 8'd9;
  localparam logic [7:0] OneMinusBeta1 = 8'd10;
  localparam logic [7:0] OneMinusBeta2 = 8'd11;
  localparam logic [7:0] Bias = 8'd12;
  localparam logic [7:0] Correction1 = 8'd13;
  localparam logic [7:0] Correction2 = 8'd14;
  localparam logic [7:0] None = 8'd15;
  localparam int FirstNode = 16;

  // Nodes, numbered from FirstNode on. Later ones depend on earlier ones; of those that share an operator, in a PE
  // that shares them, the earlier starts first. Operands as in graph.h (additions and products commute to the bit).
  localparam int MaxNodes = 24;

  function automatic int nodes(input int algorithm);
    case (algorithm)
      0:       nodes = 2;
      1:       nodes = 6;
      2:       nodes = 13;
      default: nodes = 20 + 3;
    endcase
  endfunction
endpackage
