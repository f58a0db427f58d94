// One step of a floating-point operator, with the registers that belong after it.
//   `GW_FP_STEP(name, Bits, At, expression)
// name is the expression's value, Bits bits, after gw_fp_pkg::registers_behind(Latency, Steps, At) registers;
// a register takes a value only if its bit of enable_i says so, and with the first one the whole step rests:
// an idle operator neither toggles nor costs simulation time. Needs Latency, Steps, clk_i and enable_i in
// scope.
// SPDX-License-Identifier: Apache-2.0
`ifndef GW_FP_STEP
`define GW_FP_STEP(Name, Bits, At, Expression) \
  wire [(Bits)-1:0] Name; \
  if (gw_fp_pkg::registers_behind(Latency, Steps, At) == 0) begin : gen_``Name \
    assign Name = Expression; \
  end else begin : gen_``Name \
    localparam int First = gw_fp_pkg::registers_before(Latency, Steps, At); \
    logic [(Bits)-1:0] first_q; \
    always_ff @(posedge clk_i) if (enable_i[First]) first_q <= Expression; \
    gw_fp_registers #( \
      .Width(Bits), .Latency(Latency), .First(First + 1), \
      .Depth(gw_fp_pkg::registers_behind(Latency, Steps, At) - 1) \
    ) u_registers (.clk_i, .enable_i, .d_i(first_q), .q_o(Name)); \
  end

// `GW_FP_LATER(name, Bits, From, To, expression): what expression is in step From, seen in step To.
`define GW_FP_LATER(Name, Bits, From, To, Expression) \
  wire [(Bits)-1:0] Name; \
  gw_fp_registers #( \
    .Width(Bits), .Latency(Latency), .First(gw_fp_pkg::registers_before(Latency, Steps, From)), \
    .Depth(gw_fp_pkg::registers_before(Latency, Steps, To) \
           - gw_fp_pkg::registers_before(Latency, Steps, From)) \
  ) u_``Name (.clk_i, .enable_i, .d_i(Expression), .q_o(Name));
`endif
