// The value codec as docs/devices say it and nothing else: classes by exponent, a shift, a cut. A literal transcription, made to
// be read, not to be synthesised; what rtl/codec does must equal it for every word, k in 0..15, and mode (bounds are 2^-k with k in
// 1..14; what the pins say beside, is coded by the same rules).
`ifndef GW_CODEC_SPEC_SVH
`define GW_CODEC_SPEC_SVH

function automatic [7:0] spec_b(input [3:0] k);
  spec_b = 8'd127 - {4'd0, k};
endfunction

// T = B + ceil((127 - B) / 2)
function automatic [7:0] spec_t(input [3:0] k);
  spec_t = spec_b(k) + (8'd127 - spec_b(k) + 8'd1) / 8'd2;
endfunction

function automatic [1:0] spec_tag(input [31:0] f, input [3:0] k);
  if (f[30:23] >= 8'd127) spec_tag = 2'd3;
  else if (f[30:23] >= spec_t(k)) spec_tag = 2'd2;
  else if (f[30:23] >= spec_b(k)) spec_tag = 2'd1;
  else spec_tag = 2'd0;
endfunction

function automatic [31:0] spec_payload(input [31:0] f, input [3:0] k, input bounded);
  logic [7:0]  shift;
  logic [23:0] sh;
  shift = bounded && spec_tag(f, k) == 2'd1 ? spec_t(k) - f[30:23] : 8'd127 - f[30:23];
  sh = {1'b1, f[22:0]} >> shift;
  case (spec_tag(f, k))
    2'd3: spec_payload = f;
    2'd2: spec_payload = {16'd0, f[31], sh[22:8]};
    2'd1: spec_payload = {24'd0, f[31], sh[22:16]};
    default: spec_payload = 32'd0;
  endcase
endfunction

function automatic [31:0] spec_value(input [1:0] tag, input [31:0] payload, input [3:0] k, input bounded);
  logic        sign;
  logic [14:0] magnitude;
  logic [22:0] rest;
  logic [7:0]  top, n;
  sign = tag == 2'd2 ? payload[15] : payload[7];
  magnitude = tag == 2'd2 ? payload[14:0] : {payload[6:0], 8'd0};
  top = tag == 2'd1 && bounded ? spec_t(k) : 8'd127;
  n = 8'd0;  // 1-based position of the first one, 0: there is none
  for (int i = 0; i < 15; i++) if (magnitude[i]) n = 8'(15 - i);
  rest = {magnitude, 8'd0} << n;  // the leading one is dropped, the rest left-justified
  case (tag)
    2'd3: spec_value = payload;
    2'd0: spec_value = 32'd0;
    default: spec_value = n == 8'd0 ? {sign, 31'd0} : {sign, top - n, rest};
  endcase
endfunction
`endif
