// An element of a microscaling block times 2^(scale - 127), as binary32; exact, infinite beyond it.
// Latency 1 cycle, one value a cycle, and what is combinational after it.
// OCP MX v1.0, E4M3, E5M2 and E2M1; docs/devices/dequantizer.md, values.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_element (
  input  wire logic        clk_i,
  input  wire logic        e5m2_i,
  input  wire logic        fp4_i,
  input  wire logic [7:0]  element_i,  // E2M1 in the lower half
  input  wire logic [7:0]  scale_i,
  output logic [31:0]      value_o
);
  // As 1.f 2^x: x and f. A fraction without a hidden bit begins with its first one.
  wire [3:0] e8 = element_i[6:3];
  wire [2:0] f8 = element_i[2:0];
  wire [4:0] e5 = element_i[6:2];
  wire [1:0] f5 = element_i[1:0];
  wire [1:0] e4 = element_i[2:1];
  wire       f4 = element_i[0];
  wire       low8 = e8 == 4'd0;
  wire       low5 = e5 == 5'd0;
  wire       low4 = e4 == 2'd0;
  wire [4:0] x8 = low8 ? (f8[2] ? 5'd25 : f8[1] ? 5'd24 : 5'd23) : {1'b0, e8} - 5'd7;
  wire [4:0] x5 = low5 ? {4'b1000, f5[1]} : e5 - 5'd15;
  wire [4:0] x4 = low4 ? 5'd31 : {3'd0, e4} - 5'd1;
  wire [2:0] fraction8 = ~low8 ? f8 : f8[2] ? {f8[1:0], 1'b0} : f8[1] ? {f8[0], 2'd0} : 3'd0;
  wire [2:0] fraction5 = {low5 ? {f5[0] & f5[1], 1'b0} : f5, 1'b0};
  wire [2:0] fraction4 = {f4 & ~low4, 2'd0};
  wire [4:0] x = fp4_i ? x4 : e5m2_i ? x5 : x8;

  logic       sign_q, nan_q, infinite_q, zero_q;
  logic [2:0] fraction_q;
  logic [9:0] exponent_q;   // two's complement, -16 .. 270
  always_ff @(posedge clk_i) begin
    sign_q     <= fp4_i ? element_i[3] : element_i[7];
    nan_q      <= scale_i == 8'hFF | (~fp4_i & (e5m2_i ? (&e5) & f5 != 2'd0 : &element_i[6:0]));
    infinite_q <= e5m2_i & (&e5);
    zero_q     <= fp4_i ? low4 & ~f4 : element_i[6:0] == 7'd0;
    fraction_q <= fp4_i ? fraction4 : e5m2_i ? fraction5 : fraction8;
    exponent_q <= {2'd0, scale_i} + {{5{x[4]}}, x};
  end

  wire        below = exponent_q[9] | exponent_q[8:0] == 9'd0;
  wire        above = infinite_q | (~exponent_q[9] & (exponent_q[8] | &exponent_q[7:0]));
  wire [4:0]  down  = 5'd1 - exponent_q[4:0];
  wire [20:0] denormal = {1'b1, fraction_q, 17'd0} >> down;
  wire [30:0] finite = below ? {8'd0, denormal[19:0], 3'd0} : {exponent_q[7:0], fraction_q, 20'd0};
  wire unused = denormal[20];
  assign value_o = nan_q ? 32'h7FC0_0000 : {sign_q, zero_q ? 31'd0 : above ? 31'h7F80_0000 : finite};
endmodule

`default_nettype wire
