// Sixteen adders side by side: a beat of the left neighbour's sum plus one of our gradients.
// Latency AddLatency cycles, one beat a cycle.
// Ring allreduce in the NIC (NTT): the aggregation circuit.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_ring_adder #(
  parameter int AddLatency = 5,
  parameter bit Subnormal = 1'b1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [511:0] sum_i,       // of the nodes on the left
  input  wire logic [511:0] gradient_i,
  output logic [511:0]      sum_o
);
  // Steps move only where there is a beat.
  logic [AddLatency:0] valid_q;
  wire  [AddLatency:0] stages = {valid_q[AddLatency-1:0], valid_i};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= stages;
  end
  for (genvar i = 0; i < 16; i++) begin : gen_lane
    gw_fp_add #(.Latency(AddLatency), .Subnormal(Subnormal)) u_add (
      .clk_i,
      .enable_i   (stages[AddLatency-1:0]),
      .subtract_i (1'b0),
      .a_i        (sum_i[32*i +: 32]),
      .b_i        (gradient_i[32*i +: 32]),
      .result_o   (sum_o[32*i +: 32])
    );
  end
  wire unused = ^valid_q[AddLatency:AddLatency-1] ^ stages[AddLatency];
endmodule

`default_nettype wire
