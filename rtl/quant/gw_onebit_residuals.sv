// What is left of values whose side's mean is sent, or nothing: v - d, for the residual memory.
// Latency 6 cycles, one item a cycle.
// docs/devices/onebit.md and docs/devices/adaptive.md, residual.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_onebit_residuals #(
  parameter int RowBits = 13
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               valid_i,
  input  wire logic               turn_i,
  input  wire logic [7:0]         here_i,
  input  wire logic [RowBits-1:0] row_i,
  input  wire logic [7:0]         sent_i,        // d is the mean; of others +0
  input  wire logic [7:0]         signs_i,       // not negative
  // of the side that is not negative in the lower half; without signs
  input  wire logic [61:0]        means_i,
  input  wire logic [255:0]       value_i,
  output logic                    write_o,       // six cycles later
  output logic                    write_turn_o,
  output logic [7:0]              write_lanes_o,
  output logic [RowBits-1:0]      write_row_o,
  output logic [255:0]            write_data_o
);
  // The mean is chosen in the second cycle.
  localparam int Delay = 6;
  logic [Delay:1]     residual_q, turn_q;
  logic [7:0]         here_q [1:Delay];
  logic [RowBits-1:0] row_q [1:Delay];
  logic [7:0]         sent_q, signs_q;
  logic [30:0]        negative_q, positive_q;  // means
  logic [255:0]       value1_q, value2_q, less_q;
  always_ff @(posedge clk_i) residual_q <= {residual_q[Delay-1:1], valid_i} & {Delay{rst_ni}};
  always_ff @(posedge clk_i) begin
    turn_q    <= {turn_q[Delay-1:1], turn_i};
    here_q[1] <= here_i;
    row_q[1]  <= row_i;
    for (int i = 2; i <= Delay; i++) begin
      here_q[i] <= here_q[i-1];
      row_q[i]  <= row_q[i-1];
    end
    sent_q    <= sent_i;
    signs_q   <= signs_i;
    {negative_q, positive_q} <= means_i;
    value1_q  <= value_i;
    value2_q  <= value1_q;
  end
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire unused_finite;
    always_ff @(posedge clk_i) begin
      less_q[32*i +: 32] <= {signs_q[i] | ~sent_q[i],
                             (signs_q[i] ? positive_q : negative_q) & {31{sent_q[i]}}};
    end
    gw_onebit_adder u_adder (
      .clk_i,
      .a_i      (value2_q[32*i +: 32]),
      .b_i      (less_q[32*i +: 32]),
      .sum_o    (write_data_o[32*i +: 32]),
      .finite_o (unused_finite)
    );
  end
  assign write_o       = residual_q[Delay];
  assign write_turn_o  = turn_q[Delay];
  assign write_lanes_o = here_q[Delay] & {8{write_o}};
  assign write_row_o   = row_q[Delay];
endmodule

`default_nettype wire
