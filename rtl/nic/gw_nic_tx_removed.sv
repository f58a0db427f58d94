// What encoding takes away from a packet's floats, as a one's complement sum: the checksum of what the far
// host gets differs by it.
// Latency 4 cycles from a packet's last group to its sum, one group a cycle.
// INCEPTIONN (MICRO'18) section VI-A is silent about checksums; ours, docs/devices/nic_tx.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Decoding what was encoded gives x AND a mask, which class and exponent of x decide: so the sum falls by
// that of x AND NOT mask.
module gw_nic_tx_removed (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [255:0] data_i,
  input  wire logic         last_i,
  input  wire logic [3:0]   bound_i,    // with a packet's first group
  input  wire logic         bounded_i,
  output logic              valid_o,
  output logic [16:0]       sum_o       // of little-endian half words, its carries almost all added back in
);
  function automatic [31:0] removed(input [31:0] value, input [31:0] bound, input bounded);
    logic [31:0] depth, half, coded, cut, gone, zero;
    depth = ~(value >> 23) & {25'd0, {7{~value[30]}}};  // how far the exponent lies below that of 1.0
    half  = {32{depth <= bound >> 1}};
    coded = {32{depth <= bound}};
    zero  = ~coded;
    // Bits of the significand that do not fit; all of them, if BYTE's bits end above the leading one. The
    // sign stays.
    cut     = depth - (bound >> 1 & {32{bounded}} & ~half) + (half & 32'd8) + (~half & 32'd16);
    gone    = {32{cut > 32'd23}} | zero;
    removed = value & (({9'd0, 23'h7F_FFFF} & (~(32'hFFFF_FFFF << cut[4:0]) | gone))
                       | ({1'd0, 8'hFF, 23'd0} & gone) | (32'h8000_0000 & zero))
            & {32{depth != 32'd0}};
  endfunction
  function automatic [19:0] sum_of_halves(input [255:0] words);
    logic [19:0] sum;
    sum = '0;
    for (int i = 0; i < 16; i++) sum = sum + {4'd0, words[16*i +: 16]};
    sum_of_halves = sum;
  endfunction

  logic         begun_q;  // the next group is not its packet's first
  logic         valid1_q, valid2_q, valid3_q, last1_q, last2_q, last3_q, bounded1_q;
  logic [3:0]   bound1_q;
  logic [255:0] data1_q, removed2_q;
  logic [19:0]  sum3_q;
  logic [16:0]  sum_q;
  wire  [20:0]  sum = {4'd0, sum_q} + {1'b0, sum3_q};
  assign sum_o = {1'b0, sum[15:0]} + {12'd0, sum[20:16]};
  assign valid_o = valid3_q & last3_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q  <= 1'b0;
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
      sum_q    <= '0;
    end else begin
      if (valid_i) begun_q <= ~last_i;
      valid1_q <= valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      if (valid3_q) sum_q <= sum_o & {17{~last3_q}};
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) data1_q <= data_i;
    last1_q <= last_i;
    last2_q <= last1_q;
    last3_q <= last2_q;
    if (valid_i && !begun_q) begin
      bound1_q   <= bound_i;
      bounded1_q <= bounded_i;
    end
    // One branch around all of it: a simulator then works it out for groups that come, and for nothing else.
    if (valid1_q)
      for (int i = 0; i < 8; i++)
        removed2_q[32*i +: 32] <= removed(data1_q[32*i +: 32], {28'd0, bound1_q}, bounded1_q);
    if (valid2_q) sum3_q <= sum_of_halves(removed2_q);
  end
endmodule

`default_nettype wire
