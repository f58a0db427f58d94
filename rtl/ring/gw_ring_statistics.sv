// Counts events, each in 32 bits that wrap.
// Latency 1 cycle.
// Ring allreduce in the NIC (NTT); no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_ring_statistics #(
  parameter int Counters = 23
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [Counters-1:0]    events_i,
  output logic [32*Counters-1:0]      stat_o
);
  for (genvar i = 0; i < Counters; i++) begin : gen_counter
    logic [31:0] count_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= '0;
      else if (events_i[i]) count_q <= count_q + 32'd1;
    end
    assign stat_o[32*i +: 32] = count_q;
  end
endmodule

`default_nettype wire
