// A lane's value: m T rounded to nearest even, or one that is there.
// Latency 1 cycle to the product, one value a cycle; the value itself is combinational after it.
// docs/devices/dequantizer.md, values.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_lane (
  input  wire logic        clk_i,
  input  wire logic        product_i,   // else ready_i is the value
  input  wire logic        sign_i,
  input  wire logic [7:0]  m_i,
  input  wire logic [2:0]  shift_i,     // gw_dequantizer_shift's
  input  wire logic [23:0] digits_i,    // of T
  input  wire logic [2:0]  even_i,      // zeros after T's digits, seven at most
  input  wire logic        nothing_i,   // T is 0
  input  wire logic [8:0]  six_i,       // T's exponent, 1 .. 254, and 6
  input  wire logic [31:0] ready_i,
  output logic [31:0]      value_o
);
  // No product is 2^32 or more: where m moves further than its own zeros, T has so many. Its first digit is
  // bit 31, and the exponent `upper`, or bit 30, and it is one less, or it is subnormal and bit 30 counts
  // 2^-126.
  wire [14:0] moved = {7'd0, m_i} << shift_i;
  wire [38:0] product = {24'd0, moved} * {15'd0, digits_i};
  wire [8:0]  lower = six_i - {6'd0, shift_i};
  wire        zero  = nothing_i | m_i == 8'd0;
  wire        beyond = lower[8] | &lower[7:1];          // 254 and more, and a hidden one
  wire [2:0]  even  = m_i[0] ? 3'd0 : m_i[1] ? 3'd1 : m_i[2] ? 3'd2 : m_i[3] ? 3'd3 : m_i[4] ? 3'd4 : m_i[5]
                      ? 3'd5 : 3'd6;
  wire [4:0]  zeros = {2'd0, even} + {2'd0, shift_i} + {2'd0, even_i};
  logic [31:0] product_q, ready_q;
  logic [8:0]  lower_q, upper_q;
  logic        is_product_q, sign_q, tie_q, edge_q;
  wire unused = ^{product[38:32], product_q[5:0]};
  always_ff @(posedge clk_i) begin
    product_q    <= product[31:0];
    ready_q      <= ~product_i ? ready_i : {sign_i, zero ? 31'd0 : 31'h7F80_0000};
    lower_q      <= lower;
    upper_q      <= lower + 9'd2;
    is_product_q <= product_i & ~zero & ~beyond;
    sign_q       <= sign_i;
    tie_q        <= zeros >= 5'd6;                      // bits 5-0 of the product are 0
    edge_q       <= lower == 9'd253;                    // infinite with bit 31
  end

  // Rounded both ways. Where that carries into exponent 255, what is left is 0: infinite.
  wire        high  = product_q[31];
  wire        up_one = product_q[7] & (product_q[8] | product_q[6] | ~tie_q);
  wire        up_two = product_q[6] & (product_q[7] | ~tie_q);
  wire [31:0] one    = {upper_q, product_q[30:8]} + {31'd0, up_one};
  wire [31:0] two    = {lower_q, 23'd0} + {8'd0, product_q[30:7]} + {31'd0, up_two};
  wire unused_high   = one[31] ^ two[31];
  wire [30:0] value  = ~is_product_q ? ready_q[30:0] : ~high ? two[30:0] : edge_q ? 31'h7F80_0000 : one[30:0];
  assign value_o = {is_product_q ? sign_q : ready_q[31], value};
endmodule

`default_nettype wire
