// Decompression Unit: Tag Decoder, lane selection and eight Decompression Blocks turn a group into a burst of
// values.
// Latency 2 cycles (lane selection, blocks), the second ends in the user's queue; one group a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_decompression_unit (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [2:0]   ceiling_i,  // the group's: BYTE's bits start below 2^-ceiling
  input  wire logic         valid_i,
  input  wire logic [271:0] group_i,   // tags in front
  input  wire logic [4:0]   lower_size_i,  // payload bytes of lanes 0 to 3, 0..16
  input  wire logic         last_i,
  input  wire logic         user_i,
  input  wire logic         broken_i,  // no group: decode to zeros
  output logic              valid_o,
  output logic [255:0]      data_o,
  output logic              last_o,
  output logic              user_o
);
  wire  [15:0] tags = group_i[15:0];
  logic [23:0] size;
  gw_tag_decoder u_tag_decoder (.tags_i(tags), .size_o(size));
  wire unused_sizes = ^{size[23:21], size[11:9]};  // nothing lies after lanes 3 and 7 that they would move

  // Lane selection, the compressor's shifter tree backwards: each level takes the upper half from after the
  // bytes that the lower half has.
  wire [63:0] at_word0 = {64{lower_size_i[4:3] == 2'd0}};
  wire [63:0] at_word1 = {64{lower_size_i[3]}};
  wire [63:0] at_word2 = {64{lower_size_i[4]}};
  wire [63:0] word [0:3];
  for (genvar i = 0; i < 4; i++) begin : gen_word
    assign word[i] = group_i[64*i + 16 +: 64];
  end
  wire [63:0] upper0 = (word[0] & at_word0) | (word[1] & at_word1) | (word[2] & at_word2);
  wire [63:0] upper1 = (word[1] & at_word0) | (word[2] & at_word1) | (word[3] & at_word2);
  wire [63:0] upper2 = (word[2] & at_word0) | (word[3] & at_word1);

  wire [63:0] quad_low  [0:1];
  wire [63:0] quad_high [0:1];
  wire [2:0]  bytes = lower_size_i[2:0];
  assign quad_low[0]  = word[0];
  assign quad_high[0] = word[1];
  assign quad_low[1]  = gw_codec_pkg::stay_down(upper0, bytes) | gw_codec_pkg::spill_down(upper1, bytes);
  assign quad_high[1] = gw_codec_pkg::stay_down(upper1, bytes) | gw_codec_pkg::spill_down(upper2, bytes);

  wire [63:0] pair [0:3];
  for (genvar i = 0; i < 2; i++) begin : gen_quad
    wire [3:0]  lower     = {1'b0, size[12*i +: 3]} + {1'b0, size[12*i+3 +: 3]};  // 0..8
    wire [2:0]  pair_bytes = lower[2:0];
    wire [63:0] word_down = {64{lower[3]}};  // the lower pair fills its word
    assign pair[2*i]   = quad_low[i];
    assign pair[2*i+1] = (gw_codec_pkg::stay_down(quad_low[i], pair_bytes) & ~word_down)
                       | gw_codec_pkg::spill_down(quad_high[i], pair_bytes) | (quad_high[i] & word_down);
  end

  logic [2:0]  ceiling_q;
  logic [15:0] tags_q;
  always_ff @(posedge clk_i) valid_o <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    ceiling_q <= ceiling_i;
    tags_q    <= tags & {16{~broken_i}};
    last_o    <= last_i;
    user_o    <= user_i;
  end

  wire [31:0] payload [0:7];
  for (genvar i = 0; i < 4; i++) begin : gen_pair
    logic [31:0] even_q, odd_q;
    always_ff @(posedge clk_i) begin
      even_q <= pair[i][31:0];
      odd_q  <= 32'(pair[i] >> {size[6*i +: 3], 3'b000});
    end
    assign payload[2*i]   = even_q;
    assign payload[2*i+1] = odd_q;
  end

  for (genvar i = 0; i < 8; i++) begin : gen_lane
    gw_decompression_block u_block (
      .tag_i     (tags_q[2*i +: 2]),
      .payload_i (payload[i]),
      .ceiling_i (ceiling_q),
      .value_o   (data_o[32*i +: 32])
    );
  end
endmodule

`default_nettype wire
