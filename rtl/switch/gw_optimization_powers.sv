// Adam's powers of beta: with an iteration's betas come, ten cycles later, its powers, and after another
// twelve its corrections.
// Ready AdvanceCycles after the iteration begins, one iteration at a time; 0 for other algorithms.
// Optimizer switch (IEICE'21) section 5.3; docs/devices/optimizer.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_optimization_powers #(
  parameter bit Adam = 1'b0,
  parameter int AdvanceCycles = 24,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        job_reset_i,    // no iteration has begun
  input  wire logic [4:0]  advance_i,      // cycles until what the iteration needs must be there
  input  wire logic [31:0] beta1_i,
  input  wire logic [31:0] beta2_i,
  input  wire logic        cfg_state_i,    // the host writes a power, by its address
  input  wire logic [4:0]  cfg_address_i,
  input  wire logic [31:0] cfg_data_i,
  output logic [63:0]      powers_o,       // of beta2, of beta1
  output logic [31:0]      correction1_o,  // 1 - beta1^t
  output logic [31:0]      correction2_o
);
  if (Adam) begin : gen_adam
    logic [31:0] power1_q, power2_q;
    wire  [31:0] next1, next2;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || job_reset_i) begin
        power1_q <= 32'h3F80_0000;
        power2_q <= 32'h3F80_0000;
      // the iteration's betas have come through the multipliers
      end else if (advance_i == 5'(AdvanceCycles - 10)) begin
        power1_q <= next1;
        power2_q <= next2;
      end else if (cfg_state_i) begin
        if (cfg_address_i == 5'd18) power1_q <= cfg_data_i;
        if (cfg_address_i == 5'd19) power2_q <= cfg_data_i;
      end
    end
    assign powers_o = {power2_q, power1_q};
    gw_fp_mul #(.Latency(9), .Subnormal(Subnormal)) u_power1 (
      .clk_i, .enable_i({9{1'b1}}), .a_i(power1_q), .b_i(beta1_i), .result_o(next1)
    );
    gw_fp_mul #(.Latency(9), .Subnormal(Subnormal)) u_power2 (
      .clk_i, .enable_i({9{1'b1}}), .a_i(power2_q), .b_i(beta2_i), .result_o(next2)
    );
    gw_fp_add #(.Latency(12), .Subnormal(Subnormal)) u_correction1 (
      .clk_i,
      .enable_i   ({12{1'b1}}),
      .subtract_i (1'b1),
      .a_i        (32'h3F80_0000),
      .b_i        (power1_q),
      .result_o   (correction1_o)
    );
    gw_fp_add #(.Latency(12), .Subnormal(Subnormal)) u_correction2 (
      .clk_i,
      .enable_i   ({12{1'b1}}),
      .subtract_i (1'b1),
      .a_i        (32'h3F80_0000),
      .b_i        (power2_q),
      .result_o   (correction2_o)
    );
  end else begin : gen_no_adam
    assign correction1_o = '0;
    assign correction2_o = '0;
    assign powers_o      = '0;
    wire unused = ^{clk_i, rst_ni, job_reset_i, advance_i, beta1_i, beta2_i, cfg_state_i, cfg_address_i,
                    cfg_data_i};
  end
endmodule

`default_nettype wire
