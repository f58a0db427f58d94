// What gw_nic_tx's modules agree on: classes and actions of frames, bytes of a beat, one's complement sums.
// Constants and functions, no latency.
// INCEPTIONN (MICRO'18) section VI-A; values and layout are ours (docs/devices/nic_tx.md), as the paper is
// silent.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_nic_tx_pkg;
  // The tables are whole, whatever a module uses of them.
  /* verilator lint_off UNUSEDPARAM */
  // How a frame is treated, known from its headers.
  localparam logic [1:0] ClassBypass    = 2'd0;
  localparam logic [1:0] ClassReserved  = 2'd1;
  localparam logic [1:0] ClassCandidate = 2'd2;

  // What became of it: the order of the statistics.
  localparam logic [3:0] ActionNotIpv4       = 4'd0;
  localparam logic [3:0] ActionBadHeader     = 4'd1;
  localparam logic [3:0] ActionReserved      = 4'd2;
  localparam logic [3:0] ActionSyn           = 4'd3;
  localparam logic [3:0] ActionNotMarked     = 4'd4;
  localparam logic [3:0] ActionFragment      = 4'd5;
  localparam logic [3:0] ActionOtherProtocol = 4'd6;
  localparam logic [3:0] ActionNoPayload     = 4'd7;
  localparam logic [3:0] ActionTrailer       = 4'd8;
  localparam logic [3:0] ActionNoStreamStart = 4'd9;
  localparam logic [3:0] ActionUnaligned     = 4'd10;
  localparam logic [3:0] ActionFew           = 4'd11;
  localparam logic [3:0] ActionStored        = 4'd12;
  localparam logic [3:0] ActionPacked        = 4'd13;
  localparam logic [3:0] ActionBadInput      = 4'd14;
  localparam int         Actions             = 15;

  localparam int         MaxFrame    = 9018;  // bytes
  localparam int         MinFrame    = 60;
  localparam int         MaxBeats    = 282;   // that a frame of MaxFrame bytes has
  localparam logic [7:0] Tcp         = 8'd6;
  localparam logic [7:0] Udp         = 8'd17;
  /* verilator lint_on UNUSEDPARAM */

  // Sixteen bits that lie in network order from a byte of a beat on: the byte's own bits are the upper ones.
  function automatic [15:0] swap16(input [15:0] bytes);
    swap16 = {bytes[7:0], bytes[15:8]};
  endfunction

  // The ones of a tkeep below its lowest zero.
  function automatic [31:0] contiguous(input [31:0] keep);
    contiguous = keep & ~(keep + 32'd1);
  endfunction

  // Number of ones, which are contiguous from bit 0: of n ones, n / 2 lie at every second place, n / 4 at
  // every fourth one, and so on; each bit of n is the parity of one such number.
  function automatic [5:0] ones(input [31:0] keep);
    ones = {keep[31], keep[15] ^ keep[31], ^(keep & 32'h8080_8080), ^(keep & 32'h8888_8888),
            ^(keep & 32'hAAAA_AAAA), ^keep};
  endfunction

  // Ones in a beat's bits from byte `bytes` on, 0..32. In words of 64 bits, which a simulator shifts fast.
  function automatic [255:0] from_byte(input [5:0] bytes);
    logic [63:0] cut;
    cut       = {64{1'b1}} << {bytes[2:0], 3'b000};
    from_byte = {(cut & {64{bytes[5:3] == 3'd3}}) | {64{bytes[5:3] < 3'd3}},
                 (cut & {64{bytes[5:3] == 3'd2}}) | {64{bytes[5:3] < 3'd2}},
                 (cut & {64{bytes[5:3] == 3'd1}}) | {64{bytes[5:3] < 3'd1}}, cut & {64{bytes[5:3] == 3'd0}}};
  endfunction

  // One beat's bytes below byte `bytes`, another one's from there on.
  function automatic [255:0] spliced(input [255:0] lower, input [255:0] upper, input [5:0] bytes);
    logic [255:0] mask;
    mask    = from_byte(bytes);
    spliced = (lower & ~mask) | (upper & mask);
  endfunction

  // A beat turned in a ring: byte i comes out as byte i + bytes, those that leave at the top come in again at
  // the bottom.
  function automatic [255:0] turned(input [255:0] data, input [4:0] bytes);
    logic [63:0] word0, word1, word2, word3, low, high;
    logic [5:0]  up, down;  // by bytes, what stays in a word and what spills over into the next
    up    = {bytes[2:0], 3'b000};
    down  = ~up;
    word0 = (data[63:0]    << up) | ((data[255:192] >> 1) >> down);
    word1 = (data[127:64]  << up) | ((data[63:0]    >> 1) >> down);
    word2 = (data[191:128] << up) | ((data[127:64]  >> 1) >> down);
    word3 = (data[255:192] << up) | ((data[191:128] >> 1) >> down);
    low   = {64{bytes[3]}};
    high  = {64{bytes[4]}};
    turned = {(((word3 & ~low) | (word2 & low)) & ~high) | (((word1 & ~low) | (word0 & low)) & high),
              (((word2 & ~low) | (word1 & low)) & ~high) | (((word0 & ~low) | (word3 & low)) & high),
              (((word1 & ~low) | (word0 & low)) & ~high) | (((word3 & ~low) | (word2 & low)) & high),
              (((word0 & ~low) | (word3 & low)) & ~high) | (((word2 & ~low) | (word1 & low)) & high)};
  endfunction

  // A one's complement sum of sixteen bits with its carries added back in, twice, which is enough for up to
  // four words.
  function automatic [15:0] folded(input [17:0] sum);
    logic [16:0] once;
    once   = {1'b0, sum[15:0]} + {15'd0, sum[17:16]};
    folded = once[15:0] + {15'd0, once[16]};
  endfunction

  // The checksum of such a sum: of both zeros the sum is taken for the one that makes the checksum 0, never
  // 0xFFFF.
  function automatic [15:0] checksum_of(input [15:0] sum);
    checksum_of = ~(sum | {16{sum == 16'd0}});
  endfunction
endpackage

`default_nettype wire
