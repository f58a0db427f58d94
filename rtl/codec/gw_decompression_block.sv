// Decompression Block: decodes one payload to a binary32 value.
// Combinational; the user's queue registers the result.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10, Algorithm 3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_decompression_block (
  input  wire logic [1:0]  tag_i,      // 0 ZERO, 1 BYTE, 2 HALF, 3 RAW
  input  wire logic [31:0] payload_i,  // 0, 1, 2 or 4 bytes; those above are ignored
  input  wire logic [2:0]  ceiling_i,  // BYTE's bits start below 2^-ceiling
  output logic [31:0]      value_o
);
  // All in words of 32 bits, of which as many count as the comments say: so eight lanes are one vector for a
  // simulator's compiler.

  // Zeros in front of the first one of seven bits, 0..7.
  function automatic [31:0] zeros(input [31:0] bits);
    logic [31:0] low, upper, lower;
    low   = {32{bits[6:3] == 4'd0}};
    upper = (bits >> 4 & ~low) | (bits & low);  // of the nibble with the first one, three bits
    lower = {32{upper[2:1] == 2'd0}};
    zeros = (low & 32'd4) | (lower & 32'd2) | (~upper >> 2 & (upper >> 1 | ~upper) & 32'd1);
  endfunction

  function automatic [31:0] decode(input [31:0] payload, input [1:0] tag, input [31:0] ceiling);
    logic [31:0] is_half, is_coded, is_raw, coded, magnitude, skip, shift, nibbles, normal;
    // The class as a mask. What one bit of the tag makes of RAW and ZERO, is dropped in the end.
    is_half  = {32{tag[1]}};
    is_coded = {32{tag[1] ^ tag[0]}};
    is_raw   = {32{tag[1] & tag[0]}};
    // Left-justify the sign and the magnitude.
    coded     = (payload << 24 & ~is_half) | (payload << 16 & is_half);
    magnitude = coded << 1;
    // Normalise: zeros are counted in all of HALF's bytes at once, the lower one of which is BYTE's.
    skip     = {32{payload[14:7] == 8'd0}};
    shift    = (is_half & skip & 32'd8) | (zeros(payload) & (~is_half | skip))
               | (zeros(payload >> 8) & is_half & ~skip);
    nibbles  = magnitude << {shift[3:2], 2'd0};  // these bits are known first
    // The exponent, 126 less ceiling and zeros, lies in 112..126: four bits do. No leading one: a signed
    // zero.
    normal = {5'b00111, 4'(32'd14 - (ceiling & ~is_half) - shift), 23'(nibbles << shift[1:0] >> 8)};
    decode = (payload & is_raw) | (({coded[31], 31'd0} | (normal & {32{magnitude != 32'd0}})) & is_coded);
  endfunction

  assign value_o = decode(payload_i, tag_i, {29'd0, ceiling_i});
endmodule

`default_nettype wire
