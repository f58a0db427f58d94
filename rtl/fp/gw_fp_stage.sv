// A place where registers can cut an operator: Latency registers are spread evenly over its Cuts places.
// Latency Depth = floor(Latency * (Cut + 1) / Cuts) - floor(Latency * Cut / Cuts), none if Cut < 0; one word a cycle.
// Common cell of rtl/fp; no section of its own in the paper.
`default_nettype none

// The last place gets a register from Latency = 1 on, so every operator has a registered result.
module gw_fp_stage #(
  parameter int Width = 1,
  parameter int Latency = 1,
  parameter int Cuts = 1,
  parameter int Cut = 0,
  localparam int Depth = Cut < 0 ? 0 : (Latency * (Cut + 1)) / Cuts - (Latency * Cut) / Cuts
) (
  input  wire logic             clk_i,
  input  wire logic [Width-1:0] d_i,
  output logic [Width-1:0]      q_o
);
  if (Depth == 0) begin : gen_wire
    wire unused_clk = clk_i;
    assign q_o = d_i;
  end else begin : gen_registers
    wire [Width-1:0] tap [0:Depth];
    assign tap[0] = d_i;
    for (genvar i = 0; i < Depth; i++) begin : gen_register
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i) data_q <= tap[i];
      assign tap[i+1] = data_q;
    end
    assign q_o = tap[Depth];
  end
endmodule

`default_nettype wire
