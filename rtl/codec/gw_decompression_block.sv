// Decompression Block: decodes one payload to a binary32 value.
// Combinational; the user's queue registers the result.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10, Algorithm 3.
`default_nettype none

module gw_decompression_block (
  input  wire logic [1:0]  tag_i,      // 0 ZERO, 1 BYTE, 2 HALF, 3 RAW
  input  wire logic [31:0] payload_i,  // 0, 1, 2 or 4 bytes; those above are ignored
  input  wire logic [2:0]  ceiling_i,  // BYTE's bits start below 2^-ceiling
  output logic [31:0]      value_o
);
  function automatic [31:0] decode(input [31:0] payload, input [31:0] tag, input [31:0] ceiling);
    logic [31:0] is_byte, is_half, is_raw, coded, magnitude, nibbles, exponent;
    logic [23:0] normal;
    logic        by8, by4, by2, by1;
    // The class as a mask.
    is_byte = {32{tag == 32'd1}};
    is_half = {32{tag == 32'd2}};
    is_raw  = {32{tag == 32'd3}};
    // Left-justify the sign and the magnitude.
    coded     = (payload << 24 & is_byte) | (payload << 16 & is_half);
    magnitude = coded << 1;
    // Normalise: bring the first nibble that has a one to the top, then that one.
    by8     = magnitude[31:24] == 8'd0;
    by4     = (magnitude[31:28] == 4'd0 & ~by8) | (magnitude[23:20] == 4'd0 & by8);
    nibbles = magnitude << {1'd0, by8, by4, 2'd0};
    by2     = nibbles[31:30] == 2'd0;
    by1     = (~nibbles[31] & ~by2) | (~nibbles[29] & by2);
    normal  = 24'(nibbles << {3'd0, by2, by1} >> 8);
    // The exponent is the class's ceiling less the leading one's position. No leading one: a signed zero.
    exponent = 32'd126 - (ceiling & is_byte) - {28'd0, by8, by4, by2, by1};
    decode = (payload & is_raw) | {coded[31], 31'd0}
           | (((exponent << 23) | {9'd0, normal[22:0]}) & {32{normal[23]}});
  endfunction

  assign value_o = decode(payload_i, {30'd0, tag_i}, {29'd0, ceiling_i});
endmodule

`default_nettype wire
