// Finds where a port's first frame begins: what follows a reset may be the rest of a frame.
// Lost from an edge in reset on until a tlast came out of reset, or tvalid was 0 in 64 cycles running.
// Ring allreduce in the NIC (NTT); rule Lost of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_ring_lost (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic valid_i,  // as the port offers it, in reset too
  input  wire logic last_i,
  output logic      lost_o
);
  // The port in the 63 cycles before: no reset, since silence in reset and before it counts. At power-up
  // it is as if beats had come; proofs begin with anything.
  logic [62:0] silent_q;
`ifndef FORMAL
  initial silent_q = '0;
`endif
  wire         found = ~valid_i & (&silent_q);
  always_ff @(posedge clk_i) begin
    silent_q <= {silent_q[61:0], ~valid_i};
    lost_o   <= (lost_o | ~rst_ni) & ~found & ~(rst_ni & valid_i & last_i);
  end
endmodule

`default_nettype wire
