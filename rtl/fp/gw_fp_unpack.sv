// First steps of multiply, divide and square root: flushes, classifies and normalises one operand.
// Latency: cut 0, and cut 1 if Subnormal (gw_fp_stage); one operand a cycle.
// Common cell of rtl/fp; no section of its own in the paper.
`default_nettype none

// For a number, value = significand_o * 2^(exponent_o - 127 - 23), significand_o from 2^23 to 2^24 - 1.
module gw_fp_unpack #(
  parameter bit Subnormal = 1'b0,
  parameter int Latency = 1,
  parameter int Cuts = 2
) (
  input  wire logic        clk_i,
  input  wire logic [31:0] value_i,
  output logic             sign_o,
  output logic [1:0]       kind_o,
  output logic [9:0]       exponent_o,    // signed, biased by 127
  output logic [23:0]      significand_o
);
  // Classify.
  wire [31:0] flushed = gw_fp_pkg::flush(value_i, Subnormal);
  wire        sign;
  wire [1:0]  kind;
  wire [7:0]  exponent;
  wire [23:0] significand;
  gw_fp_stage #(.Width(35), .Latency(Latency), .Cuts(Cuts), .Cut(0)) u_classify (
    .clk_i,
    .d_i ({flushed[31], gw_fp_pkg::kind(flushed[30:0]),
           gw_fp_pkg::exponent(flushed[30:23]), gw_fp_pkg::significand(flushed[30:0])}),
    .q_o ({sign, kind, exponent, significand})
  );

  // Normalise: a subnormal's leading one moves to where the hidden bit is.
  if (Subnormal) begin : gen_normalise
    wire [4:0] zeros = gw_fp_pkg::leading_zeros({significand, 7'd0});
    gw_fp_stage #(.Width(37), .Latency(Latency), .Cuts(Cuts), .Cut(1)) u_normalise (
      .clk_i,
      .d_i ({sign, kind, {2'd0, exponent} - {5'd0, zeros}, significand << zeros}),
      .q_o ({sign_o, kind_o, exponent_o, significand_o})
    );
  end else begin : gen_normal
    assign {sign_o, kind_o, exponent_o, significand_o} = {sign, kind, 2'd0, exponent, significand};
  end
endmodule

`default_nettype wire
