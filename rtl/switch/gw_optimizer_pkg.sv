// The optimizers as tables: which operator computes what from what, and in which cycle each result is there.
// Functions of constants, no latency; latency() and interval() are those of gw_optimizer_array.
// Optimizer switch (IEICE'21) section 5.3, Tables 2 and 3; the graphs are those of
// models/reference/optimizer/graph.h.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/* verilator lint_off UNUSEDPARAM */  // names of values and nodes that only the tables below use, or nobody

// algorithm: 0 SGD, 1 Adagrad, 2 Adam, 3 SMORMS3. eps_outside: 1 if eps is added after the root, 0 if under
// it. iterative: 1 if a PE shares its operators. fast: profile 0 paper, 1 fast.
package gw_optimizer_pkg;
  // Operators; Nop fills the tables.
  localparam logic [7:0] Nop  = 8'd0;
  localparam logic [7:0] Add  = 8'd1;
  localparam logic [7:0] Sub  = 8'd2;
  localparam logic [7:0] Mul  = 8'd3;
  localparam logic [7:0] Div  = 8'd4;
  localparam logic [7:0] Sqrt = 8'd5;
  localparam logic [7:0] Min  = 8'd6;

  // Cycles of each. This is the only place that says how long an operator takes. Operator op of profile p,
  // which is 2 * iterative + fast, is at [8 * (8 * p + op) +: 8].
  localparam logic [255:0] Cycles = {
    //     Min    Sqrt   Div    Mul   Sub    Add    Nop
    {8'd0, 8'd1,  8'd27, 8'd27, 8'd4, 8'd6,  8'd6,  8'd0},  // iterative, fast
    {8'd0, 8'd2,  8'd27, 8'd27, 8'd9, 8'd12, 8'd12, 8'd0},  // iterative, paper
    {8'd0, 8'd1,  8'd14, 8'd12, 8'd4, 8'd6,  8'd6,  8'd0},  // pipelined, fast
    {8'd0, 8'd2,  8'd28, 8'd29, 8'd9, 8'd12, 8'd12, 8'd0}   // pipelined, paper
  };

  // Values: what comes in, then registers that do not change, then the results of the nodes.
  localparam logic [7:0] Theta         = 8'd0;
  localparam logic [7:0] Gradient      = 8'd1;
  localparam logic [7:0] State0        = 8'd2;
  localparam logic [7:0] State1        = 8'd3;
  localparam logic [7:0] State2        = 8'd4;
  localparam logic [7:0] One           = 8'd5;
  localparam logic [7:0] Lr            = 8'd6;  // word 0 of registers_i, and so on
  localparam logic [7:0] Eps           = 8'd7;
  localparam logic [7:0] Beta1         = 8'd8;
  localparam logic [7:0] Beta2         = 8'd9;
  localparam logic [7:0] OneMinusBeta1 = 8'd10;
  localparam logic [7:0] OneMinusBeta2 = 8'd11;
  localparam logic [7:0] Bias          = 8'd12;
  localparam logic [7:0] Correction1   = 8'd13;
  localparam logic [7:0] Correction2   = 8'd14;
  localparam logic [7:0] None          = 8'd15;
  localparam int Sources = 5;     // values that come in with each valid
  localparam int FirstNode = 16;  // value FirstNode + i is the result of node i
  localparam int MaxNodes = 23;
  localparam int Values = FirstNode + MaxNodes;

  // Graphs: {operator, operand, operand}, from node 0 on. Operands are earlier nodes. Where an operator is
  // shared, its nodes start in the order of the table.
  localparam logic [7:0] SgdStep  = 8'd16;
  localparam logic [7:0] SgdTheta = 8'd17;
  localparam logic [24*MaxNodes-1:0] Sgd = {
    Mul, Lr, Gradient,     // step
    Sub, Theta, SgdStep,   // theta'
    {21{Nop, None, None}}
  };

  localparam logic [7:0] AdagradSquare = 8'd16;
  localparam logic [7:0] AdagradH      = 8'd17;
  localparam logic [7:0] AdagradRoot   = 8'd18;
  localparam logic [7:0] AdagradRate   = 8'd19;
  localparam logic [7:0] AdagradStep   = 8'd20;
  localparam logic [7:0] AdagradTheta  = 8'd21;
  localparam logic [24*MaxNodes-1:0] Adagrad = {
    Mul, Gradient, Gradient,      // square
    Add, State0, AdagradSquare,   // h'
    Sqrt, AdagradH, None,         // root
    Div, Lr, AdagradRoot,         // rate
    Mul, AdagradRate, Gradient,   // step
    Sub, Theta, AdagradStep,      // theta'
    {17{Nop, None, None}}
  };

  localparam logic [7:0] AdamMOld   = 8'd16;
  localparam logic [7:0] AdamMNew   = 8'd17;
  localparam logic [7:0] AdamSquare = 8'd18;
  localparam logic [7:0] AdamM      = 8'd19;
  localparam logic [7:0] AdamVNew   = 8'd20;
  localparam logic [7:0] AdamMHat   = 8'd21;
  localparam logic [7:0] AdamV      = 8'd22;
  localparam logic [7:0] AdamVHat   = 8'd23;
  localparam logic [7:0] AdamUOld   = 8'd24;
  localparam logic [7:0] AdamU      = 8'd25;
  localparam logic [7:0] AdamRoot   = 8'd26;
  localparam logic [7:0] AdamRatio  = 8'd27;
  localparam logic [7:0] AdamStep   = 8'd28;
  localparam logic [7:0] AdamTheta  = 8'd29;
  localparam logic [24*MaxNodes-1:0] Adam = {
    Mul, Beta1, State0,               // m_old
    Mul, OneMinusBeta1, Gradient,     // m_new
    Mul, Gradient, Gradient,          // square
    Add, AdamMOld, AdamMNew,          // m'
    Mul, OneMinusBeta2, AdamSquare,   // v_new
    Div, AdamM, Correction1,          // m_hat
    Add, State1, AdamVNew,            // v
    Div, AdamV, Correction2,          // v_hat
    Mul, Beta2, AdamV,                // u_old
    Add, Bias, AdamUOld,              // u'
    Sqrt, AdamVHat, None,             // root
    Div, AdamMHat, AdamRoot,          // ratio
    Mul, Lr, AdamRatio,               // step
    Sub, Theta, AdamStep,             // theta'
    {9{Nop, None, None}}
  };

  localparam logic [7:0] SmormsSOne   = 8'd16;
  localparam logic [7:0] SmormsSquare = 8'd17;
  localparam logic [7:0] SmormsRho    = 8'd18;
  localparam logic [7:0] SmormsKeep   = 8'd19;
  localparam logic [7:0] SmormsVNew   = 8'd20;
  localparam logic [7:0] SmormsMNew   = 8'd21;
  localparam logic [7:0] SmormsVSide  = 8'd22;
  localparam logic [7:0] SmormsMOld   = 8'd23;
  localparam logic [7:0] SmormsVOld   = 8'd24;
  localparam logic [7:0] SmormsM      = 8'd25;
  localparam logic [7:0] SmormsV      = 8'd26;
  localparam logic [7:0] SmormsBelow  = 8'd27;
  localparam logic [7:0] SmormsMTwo   = 8'd28;
  localparam logic [7:0] SmormsVEps   = 8'd29;
  localparam logic [7:0] SmormsX      = 8'd30;
  localparam logic [7:0] SmormsRoot   = 8'd31;
  localparam logic [7:0] SmormsLimit  = 8'd32;
  localparam logic [7:0] SmormsLeft   = 8'd33;
  localparam logic [7:0] SmormsSOld   = 8'd34;
  localparam logic [7:0] SmormsS      = 8'd35;
  localparam logic [7:0] SmormsRate   = 8'd36;
  localparam logic [7:0] SmormsStep   = 8'd37;
  localparam logic [7:0] SmormsTheta  = 8'd38;
  localparam logic [24*MaxNodes-1:0] Smorms3 = {
    Add, State2, One,                // s_one
    Mul, Gradient, Gradient,         // square
    Div, One, SmormsSOne,            // rho
    Sub, One, SmormsRho,             // keep
    Mul, SmormsRho, SmormsSquare,    // v_new
    Mul, SmormsRho, Gradient,        // m_new
    Add, Eps, SmormsVNew,            // v_side
    Mul, SmormsKeep, State0,         // m_old
    Mul, SmormsKeep, State1,         // v_old
    Add, SmormsMNew, SmormsMOld,     // m'
    Add, SmormsVNew, SmormsVOld,     // v'
    Add, SmormsVSide, SmormsVOld,    // below
    Mul, SmormsM, SmormsM,           // m_two
    Add, Eps, SmormsV,               // v_eps
    Div, SmormsMTwo, SmormsBelow,    // x
    Sqrt, SmormsVEps, None,          // root
    Min, Lr, SmormsX,                // limit
    Sub, One, SmormsX,               // left
    Mul, SmormsLeft, State2,         // s_old
    Add, One, SmormsSOld,            // s'
    Div, SmormsLimit, SmormsRoot,    // rate
    Mul, SmormsRate, Gradient,       // step
    Sub, Theta, SmormsStep           // theta'
  };

  // With eps after the root.
  localparam logic [7:0] AdagradOutsideSquare = 8'd16;
  localparam logic [7:0] AdagradOutsideH      = 8'd17;
  localparam logic [7:0] AdagradOutsideRoot   = 8'd18;
  localparam logic [7:0] AdagradOutsideDen    = 8'd19;
  localparam logic [7:0] AdagradOutsideRate   = 8'd20;
  localparam logic [7:0] AdagradOutsideStep   = 8'd21;
  localparam logic [7:0] AdagradOutsideTheta  = 8'd22;
  localparam logic [24*MaxNodes-1:0] AdagradOutside = {
    Mul, Gradient, Gradient,             // square
    Add, State0, AdagradOutsideSquare,   // h'
    Sqrt, AdagradOutsideH, None,         // root
    Add, AdagradOutsideRoot, Eps,        // den
    Div, Lr, AdagradOutsideDen,          // rate
    Mul, AdagradOutsideRate, Gradient,   // step
    Sub, Theta, AdagradOutsideStep,      // theta'
    {16{Nop, None, None}}
  };

  localparam logic [7:0] AdamOutsideMOld   = 8'd16;
  localparam logic [7:0] AdamOutsideMNew   = 8'd17;
  localparam logic [7:0] AdamOutsideSquare = 8'd18;
  localparam logic [7:0] AdamOutsideM      = 8'd19;
  localparam logic [7:0] AdamOutsideVNew   = 8'd20;
  localparam logic [7:0] AdamOutsideMHat   = 8'd21;
  localparam logic [7:0] AdamOutsideV      = 8'd22;
  localparam logic [7:0] AdamOutsideVHat   = 8'd23;
  localparam logic [7:0] AdamOutsideU      = 8'd24;
  localparam logic [7:0] AdamOutsideRoot   = 8'd25;
  localparam logic [7:0] AdamOutsideDen    = 8'd26;
  localparam logic [7:0] AdamOutsideRatio  = 8'd27;
  localparam logic [7:0] AdamOutsideStep   = 8'd28;
  localparam logic [7:0] AdamOutsideTheta  = 8'd29;
  localparam logic [24*MaxNodes-1:0] AdamOutside = {
    Mul, Beta1, State0,                      // m_old
    Mul, OneMinusBeta1, Gradient,            // m_new
    Mul, Gradient, Gradient,                 // square
    Add, AdamOutsideMOld, AdamOutsideMNew,   // m'
    Mul, OneMinusBeta2, AdamOutsideSquare,   // v_new
    Div, AdamOutsideM, Correction1,          // m_hat
    Add, State1, AdamOutsideVNew,            // v
    Div, AdamOutsideV, Correction2,          // v_hat
    Mul, Beta2, AdamOutsideV,                // u'
    Sqrt, AdamOutsideVHat, None,             // root
    Add, AdamOutsideRoot, Eps,               // den
    Div, AdamOutsideMHat, AdamOutsideDen,    // ratio
    Mul, Lr, AdamOutsideRatio,               // step
    Sub, Theta, AdamOutsideStep,             // theta'
    {9{Nop, None, None}}
  };

  // As Smorms3 up to m_two.
  localparam logic [7:0] SmormsOutsideRoot  = 8'd29;
  localparam logic [7:0] SmormsOutsideX     = 8'd30;
  localparam logic [7:0] SmormsOutsideDen   = 8'd31;
  localparam logic [7:0] SmormsOutsideLimit = 8'd32;
  localparam logic [7:0] SmormsOutsideLeft  = 8'd33;
  localparam logic [7:0] SmormsOutsideSOld  = 8'd34;
  localparam logic [7:0] SmormsOutsideS     = 8'd35;
  localparam logic [7:0] SmormsOutsideRate  = 8'd36;
  localparam logic [7:0] SmormsOutsideStep  = 8'd37;
  localparam logic [7:0] SmormsOutsideTheta = 8'd38;
  localparam logic [24*MaxNodes-1:0] Smorms3Outside = {
    Smorms3[24*MaxNodes-1 -: 24*13],
    Sqrt, SmormsV, None,                       // root
    Div, SmormsMTwo, SmormsBelow,              // x
    Add, SmormsOutsideRoot, Eps,               // den
    Min, Lr, SmormsOutsideX,                   // limit
    Sub, One, SmormsOutsideX,                  // left
    Mul, SmormsOutsideLeft, State2,            // s_old
    Add, One, SmormsOutsideSOld,               // s'
    Div, SmormsOutsideLimit, SmormsOutsideDen, // rate
    Mul, SmormsOutsideRate, Gradient,          // step
    Sub, Theta, SmormsOutsideStep              // theta'
  };

  // Graphs by number: of algorithm a it is a, and a + 3 with eps after the root (SGD has no eps).
  function automatic int graph(input int algorithm, input int eps_outside);
    graph = algorithm + (eps_outside != 0 && algorithm != 0 ? 3 : 0);
  endfunction

  // Node i of graph g at [24 * (MaxNodes * g + MaxNodes - 1 - i) +: 24].
  localparam int GraphCount = 7;
  localparam logic [GraphCount*24*MaxNodes-1:0] Graphs = {Smorms3Outside, AdamOutside, AdagradOutside,
                                                          Smorms3, Adam, Adagrad, Sgd};

  // What leaves: theta', and what each state becomes; graph g, output k at [8 * (4 * g + k) +: 8].
  localparam logic [GraphCount*32-1:0] Outputs = {
    {SmormsOutsideS, SmormsV, SmormsM, SmormsOutsideTheta},
    {None, AdamOutsideU, AdamOutsideM, AdamOutsideTheta},
    {None, None, AdagradOutsideH, AdagradOutsideTheta},
    {SmormsS, SmormsV, SmormsM, SmormsTheta},
    {None, AdamU, AdamM, AdamTheta},
    {None, None, AdagradH, AdagradTheta},
    {None, None, None, SgdTheta}
  };

  // The cycle in which each value is there, counted from that of its operands (valid_i); value v at [8 * v +:
  // 8].
  // Pipelined: a node starts as soon as its operands are there. Iterative: operands are registered first, the
  // sources on arrival and all of them in front of the operator; and the operator must be free.
  function automatic [8*Values-1:0] schedule(input int number, input int profile);
    logic [23:0] node;
    logic [7:0]  op, unit, ready, taken;
    logic [63:0] free;  // by operator, the first cycle in which it can start again
    schedule = '0;
    free = '0;
    for (int v = 0; v < Sources; v = v + 1) if (profile >= 2) schedule[8*v +: 8] = 8'd1;
    for (int i = 0; i < MaxNodes; i = i + 1) begin
      node = Graphs[24 * (MaxNodes * number + MaxNodes - 1 - i) +: 24];
      op = node[23:16];
      ready = schedule[8 * {24'd0, node[15:8]} +: 8];
      if (schedule[8 * {24'd0, node[7:0]} +: 8] > ready) ready = schedule[8 * {24'd0, node[7:0]} +: 8];
      if (profile >= 2) begin
        ready = ready + 8'd1;
        unit = op == Sub ? Add : op == Sqrt ? Div : op;
        if (free[8 * {24'd0, unit} +: 8] > ready) ready = free[8 * {24'd0, unit} +: 8];
        taken = unit == Div ? Cycles[8 * (8 * profile + {24'd0, unit}) +: 8] : 8'd1;
        free[8 * {24'd0, unit} +: 8] = ready + taken;
      end
      schedule[8 * (FirstNode + i) +: 8] = ready + Cycles[8 * (8 * profile + {24'd0, op}) +: 8];
    end
  endfunction

  // Graph g in profile p stands at [8 * Values * (4 * g + p) +: 8 * Values].
  localparam logic [GraphCount*4*8*Values-1:0] Schedules = {
    schedule(6, 3), schedule(6, 2), schedule(6, 1), schedule(6, 0),
    schedule(5, 3), schedule(5, 2), schedule(5, 1), schedule(5, 0),
    schedule(4, 3), schedule(4, 2), schedule(4, 1), schedule(4, 0),
    schedule(3, 3), schedule(3, 2), schedule(3, 1), schedule(3, 0),
    schedule(2, 3), schedule(2, 2), schedule(2, 1), schedule(2, 0),
    schedule(1, 3), schedule(1, 2), schedule(1, 1), schedule(1, 0),
    schedule(0, 3), schedule(0, 2), schedule(0, 1), schedule(0, 0)
  };

  // Cycles from valid_i to valid_o. No state' is later than theta'. (Icarus lets no constant function call
  // graph().)
  function automatic int latency(input int algorithm, input int iterative, input int fast,
                                 input int eps_outside);
    int number;
    number = algorithm + (eps_outside != 0 && algorithm != 0 ? 3 : 0);
    latency = {24'd0, Schedules[8 * (Values * (4 * number + 2 * iterative + fast)
                                     + {24'd0, Outputs[32 * number +: 8]}) +: 8]};
  endfunction

  // Cycles from a valid_i to the next one, at least.
  function automatic int interval(input int algorithm, input int iterative, input int fast,
                                  input int eps_outside);
    int number;
    number = algorithm + (eps_outside != 0 && algorithm != 0 ? 3 : 0);
    interval = iterative == 0 ? 1
             : {24'd0, Schedules[8 * (Values * (4 * number + 2 * iterative + fast)
                                      + {24'd0, Outputs[32 * number +: 8]}) +: 8]};
  endfunction

  // Words beside theta.
  function automatic int states(input int algorithm);
    states = algorithm;
  endfunction
endpackage

`default_nettype wire
