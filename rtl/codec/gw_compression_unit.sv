// Compression Unit: encodes a burst of eight values into one vector of 2 to 34 bytes, tags in front.
// Latency 3 cycles (input register, Compression Blocks, shifter tree), one burst a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 9.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_compression_unit (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [3:0]   bound_i,    // with a packet's first burst, for all of it
  input  wire logic         bounded_i,
  input  wire logic         valid_i,
  input  wire logic [255:0] data_i,
  input  wire logic [31:0]  keep_i,
  input  wire logic         last_i,
  input  wire logic         user_i,
  output logic              valid_o,
  output logic [271:0]      vector_o,  // bytes above the length are zero
  output logic [5:0]        length_o,  // bytes, 2..34
  output logic              last_o,
  output logic              user_o     // the packet is in error; with last_o only
);
  // Stage 1: input register. A lane of the last beat whose four keep bits are not all set counts as zero.
  logic        in_valid_q, in_last_q, in_user_q, bounded_q;
  logic [3:0]  bound_q;
  logic [31:0] keep_q;
  wire  [31:0] value [0:7];
  for (genvar i = 0; i < 8; i++) begin : gen_input
    logic [31:0] value_q;
    always_ff @(posedge clk_i) value_q <= data_i[32*i +: 32] & {32{&keep_i[4*i +: 4] | ~last_i}};
    assign value[i] = value_q;
  end

  // The bound stays from one packet's first burst to the next one's.
  logic first_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (valid_i) first_q <= last_i;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i & first_q) begin
      bound_q   <= bound_i;
      bounded_q <= bounded_i;
    end
  end

  always_ff @(posedge clk_i) in_valid_q <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    keep_q    <= keep_i;
    in_last_q <= last_i;
    in_user_q <= user_i;
  end

  // Stage 2: Compression Blocks.
  wire [1:0]  tag     [0:7];
  wire [31:0] payload [0:7];
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    gw_compression_block u_block (
      .clk_i,
      .value_i   (value[i]),
      .bound_i   (bound_q),
      .bounded_i (bounded_q),
      .tag_o     (tag[i]),
      .payload_o (payload[i])
    );
  end

  // The keep bits of a last beat are 4n ones from bit 0: no zero below a one, and each lane all or nothing.
  wire keep_whole = keep_q[0] && (keep_q & (keep_q + 32'd1)) == 32'd0
                  && ((keep_q ^ (keep_q >> 3)) & 32'h1111_1111) == 32'd0;
  logic blocks_valid_q, blocks_last_q, blocks_user_q;
  always_ff @(posedge clk_i) blocks_valid_q <= in_valid_q & rst_ni;
  always_ff @(posedge clk_i) begin
    blocks_last_q <= in_last_q;
    blocks_user_q <= in_last_q & (in_user_q | ~keep_whole);
  end

  // Stage 3: binary shifter tree. Each level moves the upper half after the bytes that the lower half has.
  wire [15:0] tags = {tag[7], tag[6], tag[5], tag[4], tag[3], tag[2], tag[1], tag[0]};
  wire [2:0]  size [0:7];  // 0, 1, 2 or 4
  for (genvar i = 0; i < 8; i++) begin : gen_size
    assign size[i] = {1'b0, tag[i]} ^ {3{&tag[i]}};
  end

  wire [3:0]  pair_size [0:3];  // 0..8
  wire [63:0] pair      [0:3];
  for (genvar i = 0; i < 4; i++) begin : gen_pair
    assign pair_size[i] = {1'b0, size[2*i]} + {1'b0, size[2*i+1]};
    assign pair[i]      = {32'd0, payload[2*i]} | ({32'd0, payload[2*i+1]} << {size[2*i], 3'b000});
  end

  wire [4:0]  quad_size [0:1];  // 0..16
  wire [63:0] quad_low  [0:1];
  wire [63:0] quad_high [0:1];
  for (genvar i = 0; i < 2; i++) begin : gen_quad
    wire [63:0] word_up = {64{pair_size[2*i][3]}};  // the lower pair fills its word
    wire [2:0]  bytes   = pair_size[2*i][2:0];
    assign quad_size[i] = {1'b0, pair_size[2*i]} + {1'b0, pair_size[2*i+1]};
    assign quad_low[i]  = pair[2*i] | (gw_codec_pkg::stay_up(pair[2*i+1], bytes) & ~word_up);
    assign quad_high[i] = gw_codec_pkg::spill_up(pair[2*i+1], bytes) | (pair[2*i+1] & word_up);
  end

  // The last level also makes room for the tags: the lower quad starts at byte 2, the upper one at 2..18.
  wire [4:0]  start = quad_size[0] + 5'd2;
  wire [2:0]  bytes = start[2:0];
  wire [63:0] at_word0 = {64{start[4:3] == 2'd0}};
  wire [63:0] at_word1 = {64{start[3]}};
  wire [63:0] at_word2 = {64{start[4]}};
  wire [63:0] upper0 = gw_codec_pkg::stay_up(quad_low[1], bytes);
  wire [63:0] upper1 = gw_codec_pkg::stay_up(quad_high[1], bytes)
                       | gw_codec_pkg::spill_up(quad_low[1], bytes);
  wire [63:0] upper2 = gw_codec_pkg::spill_up(quad_high[1], bytes);

  wire [63:0] word0 = {quad_low[0][47:0], tags} | (upper0 & at_word0);
  wire [63:0] word1 = {quad_high[0][47:0], quad_low[0][63:48]} | (upper1 & at_word0) | (upper0 & at_word1);
  wire [63:0] word2 = {48'd0, quad_high[0][63:48]} | (upper2 & at_word0) | (upper1 & at_word1)
                      | (upper0 & at_word2);
  wire [63:0] word3 = (upper2 & at_word1) | (upper1 & at_word2);
  wire [15:0] word4 = upper2[15:0] & at_word2[15:0];

  always_ff @(posedge clk_i) valid_o <= blocks_valid_q & rst_ni;
  always_ff @(posedge clk_i) begin
    vector_o <= {word4, word3, word2, word1, word0};
    length_o <= {1'b0, start} + {1'b0, quad_size[1]};
    last_o   <= blocks_last_q;
    user_o   <= blocks_user_q;
  end
endmodule

`default_nettype wire
