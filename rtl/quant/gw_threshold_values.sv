// Eight values against T: which are sent, as how many T; and what is left of them.
// Latency 1 cycle to what is sent, 5 to m, 11 to the residuals, the last step of which is combinational;
// eight values a cycle.
// Thresholded gradient synchronisation (Anoosheh et al.), listing (a)-(c); docs/devices/threshold.md, sent,
// d, residual.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// m is a division of integers: T's significand has 16 bits, and of v's as many are looked at as it has above
// T's last one.
// What the remainder does not show of the dividend is m T.
module gw_threshold_values (
  input  wire logic         clk_i,
  input  wire logic [255:0] v_i,
  input  wire logic [22:0]  threshold_i,         // without its sign and its low 8 bits
  input  wire logic [1:0]   method_i,
  input  wire logic [3:0]   count_i,      // values below n
  output logic [7:0]        sent_o,      // a cycle later
  output logic [7:0]        sign_o,
  output logic [255:0]      whole_o,     // 4 cycles later: of WGT and RAW what is sent, else zero
  output logic [63:0]       m_o,         // 5 cycles later
  output logic [255:0]      remainder_o  // 11 cycles later
);
  logic [22:0] t_q [1:6];
  logic [1:0]  method_q [1:6];
  always_ff @(posedge clk_i) begin
    t_q[1]      <= threshold_i;
    method_q[1] <= method_i;
    for (int j = 2; j <= 6; j++) begin
      t_q[j]      <= t_q[j-1];
      method_q[j] <= method_q[j-1];
    end
  end

  wire       raw       = method_i == 2'd0;
  wire [8:0] nine_more = {1'b0, threshold_i[22:15]} + 9'd9;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire [31:0] v = v_i[32*i +: 32];

    // 1. Compare and align. A quotient beyond 9 bits is known by the exponents.
    wire        reaches = v[30:0] >= {threshold_i, 8'd0};
    wire        beyond  = {1'b0, v[30:23]} >= nine_more;
    wire [3:0]  places  = threshold_i[18:15] + 4'd8 - v[26:23];
    logic [31:0] v_q [1:7];
    logic [6:1]  sent_q;
    logic [5:1]  clipped_q;
    logic [23:0] dividend_q [1:5];
    logic [15:0] rest_q [2:5];
    logic [7:0]  m_q [2:5];
    wire [17:0] step2 = gw_threshold_pkg::divide(dividend_q[1][23:8], dividend_q[1][7:6],
                                                 {1'b1, t_q[1][14:0]});
    wire [17:0] step3 = gw_threshold_pkg::divide(rest_q[2], dividend_q[2][5:4], {1'b1, t_q[2][14:0]});
    wire [17:0] step4 = gw_threshold_pkg::divide(rest_q[3], dividend_q[3][3:2], {1'b1, t_q[3][14:0]});
    wire [17:0] step5 = gw_threshold_pkg::divide(rest_q[4], dividend_q[4][1:0], {1'b1, t_q[4][14:0]});
    always_ff @(posedge clk_i) begin
      v_q[1] <= v;
      for (int j = 2; j <= 7; j++) v_q[j] <= v_q[j-1];
      sent_q    <= {sent_q[5:1], raw ? count_i > 4'(i) : reaches};
      clipped_q <= {clipped_q[4:2], clipped_q[1] | (dividend_q[1][23:8] >= {1'b1, t_q[1][14:0]}), beyond};
      dividend_q[1] <= {1'b1, v[22:0]} >> places;
      for (int j = 2; j <= 5; j++) dividend_q[j] <= dividend_q[j-1];
      // 2. to 5. Divide, two bits a step.
      m_q[2]    <= {6'd0, step2[17:16]};
      rest_q[2] <= step2[15:0];
      m_q[3]    <= {m_q[2][5:0], step3[17:16]};
      rest_q[3] <= step3[15:0];
      m_q[4]    <= {m_q[3][5:0], step4[17:16]};
      rest_q[4] <= step4[15:0];
      m_q[5]    <= ({m_q[4][5:0], step5[17:16]} | {8{clipped_q[4]}}) & {8{sent_q[4] & (&method_q[4])}};
      rest_q[5] <= step5[15:0];
    end
    assign sent_o[i]         = sent_q[1];
    assign sign_o[i]         = v_q[1][31];
    always_ff @(posedge clk_i) whole_o[32*i +: 32] <= v_q[3] & {32{sent_q[3] & ~method_q[3][1]}};
    assign m_o[8*i +: 8]     = m_q[5];

    // 6. m T, in units of T's last bit: T, 255 T, or the dividend less the remainder.
    wire  [15:0] significand = {1'b1, t_q[5][14:0]};
    wire         once        = method_q[5] == 2'd2;
    logic [23:0] product_q;
    always_ff @(posedge clk_i) begin
      product_q <= (once ? {8'd0, significand} : clipped_q[5] ? {significand, 8'd0} : dividend_q[5])
                   - {8'd0, (clipped_q[5] ? significand : rest_q[5]) & {16{~once}}};
    end

    // 7. As a float, negated: -d.
    wire  [26:0] normal = gw_threshold_pkg::normalise(product_q);
    logic [31:0] less_q;
    always_ff @(posedge clk_i) begin
      less_q <= !sent_q[6]           ? 32'h8000_0000
              : method_q[6] == 2'd1 ? {~v_q[6][31], v_q[6][30:0]}
                                    : {~v_q[6][31], t_q[6][22:15] + {4'd0, normal[26:23]}, normal[22:0]};
    end

    // 8. to 12. v - d.
    wire unused_finite;
    gw_mx_adder u_adder (.clk_i, .enable_i(4'hF), .a_i(v_q[7]), .b_i(less_q), .sum_o(remainder_o[32*i +: 32]),
                         .finite_o(unused_finite));
  end
endmodule

`default_nettype wire
