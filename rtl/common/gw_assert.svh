// GW_ASSERT(name, expr): `expr` holds at every rising edge of clk_i at which rst_ni is 1.
// Concurrent under Verilator, immediate under Icarus, a proof obligation under `yosys read -formal`, nothing
// in synthesis.
//
// GW_COVER(name, expr): a corner that simulation shall have seen: `expr` holds at some rising edge of clk_i
// at which rst_ni is 1.
// Counted under Verilator (gradwire run --coverage user), a cover under FORMAL, nothing elsewhere. No
// sequences in `expr`: what matters of the cycles before is in registers.
// SPDX-License-Identifier: Apache-2.0
`ifndef GW_ASSERT_SVH
`define GW_ASSERT_SVH

`ifdef SYNTHESIS
`define GW_ASSERT(name, expr)
`define GW_COVER(name, expr)
`elsif FORMAL
`define GW_ASSERT(name, expr) \
  always @(posedge clk_i) if (rst_ni) name: assert (expr);
`define GW_COVER(name, expr) \
  always @(posedge clk_i) if (rst_ni) name: cover (expr);
`elsif VERILATOR
`define GW_ASSERT(name, expr) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (expr)) \
    else $error("%m: %s", `"name`");
`define GW_COVER(name, expr) \
  name: cover property (@(posedge clk_i) disable iff (!rst_ni) (expr));
`else
`define GW_ASSERT(name, expr) \
  always @(posedge clk_i) \
    if (rst_ni === 1'b1 && (expr) !== 1'b1) $fatal(1, "%m: name does not hold");
`define GW_COVER(name, expr)
`endif

`endif
