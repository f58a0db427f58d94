// One for each corner that a cell's properties want to see (covers): that it never comes is a check that a counterexample refutes.
`include "gw_assert.svh"
`default_nettype none

module gw_never (
  input wire logic clk_i,
  input wire logic rst_ni,
  input wire logic seen_i
);
  `GW_ASSERT(Never, !seen_i)
endmodule

`default_nettype wire
