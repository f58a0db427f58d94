// Credit of the ring: which chunks find an empty slot, which may be summed or sent for the first time.
// Latency 1 cycle.
// Ring allreduce in the NIC (NTT); rules Window and Limits of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_credit #(
  parameter int          SlotsLog2 = 7,
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               begins_i,  // node 0
  input  wire logic               ends_i,    // node N-1
  input  wire logic [SlotsLog2:0] window_i,
  input  wire logic [31:0]        given_i,   // results gone to the host
  input  wire logic [31:0]        left_i,    // base of the left port
  input  wire logic [31:0]        right_i,
  input  wire logic [31:0]        read_i,    // sums read
  output logic [31:0]             limit_o,   // gradients and the left neighbour's sums below it have a slot
  output logic [31:0]             free_o     // chunks below it have credit
);
  wire [31:0] window = {{31-SlotsLog2{1'b0}}, window_i};
  // The lowest of the three: each is compared with each, so that no comparison waits for another.
  wire left_below_given  = ~begins_i & gw_ring_pkg::near_below(left_i, given_i);
  wire right_below_given = ~begins_i & ~ends_i & gw_ring_pkg::near_below(right_i, given_i);
  wire right_below_left  = ~begins_i & ~ends_i & gw_ring_pkg::near_below(right_i, left_i);
  wire takes_right       = right_below_given & (right_below_left | ~left_below_given);
  wire takes_left        = left_below_given & ~takes_right;
  wire [31:0] lowest     = takes_right ? right_i : takes_left ? left_i : given_i;
  wire [31:0] freed      = begins_i ? right_i : read_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      limit_o <= First;
      free_o  <= First;
    end else begin
      limit_o <= window + freed;
      free_o  <= window + lowest;
    end
  end

  `GW_ASSERT(LeftIsNear, begins_i
             || gw_ring_pkg::near_below(left_i, given_i) == gw_ring_pkg::below(left_i, given_i))
  `GW_ASSERT(RightIsNear, begins_i || ends_i
             || gw_ring_pkg::near_below(right_i, given_i) == gw_ring_pkg::below(right_i, given_i))
  `GW_ASSERT(LimitRises, !gw_ring_pkg::below(window + freed, limit_o))
  `GW_ASSERT(FreeRises, !gw_ring_pkg::below(window + lowest, free_o))
endmodule

`default_nettype wire
