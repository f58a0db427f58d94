// What the ring's modules share: header, comparison of numbers that wrap, valid bytes, places in a bank.
// Functions, no latency.
// Ring allreduce in the NIC (NTT); frame and rules: docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/* verilator lint_off UNUSEDPARAM */  // no module needs all fields
package gw_ring_pkg;
  // Header: byte at which each field starts. Fields are big-endian, beats little-endian.
  localparam int DestinationByte = 0;
  localparam int SourceByte      = 6;
  localparam int EtherTypeByte   = 12;
  localparam int VersionByte     = 14;
  localparam int TypeByte        = 15;
  localparam int SessionByte     = 16;
  localparam int AddendsByte     = 18;
  localparam int FlagsByte       = 19;
  localparam int LengthByte      = 20;
  localparam int ChunkByte       = 22;
  localparam int AckByte         = 26;
  localparam int HeaderBytes     = 30;  // the rest of the beat is zero

  localparam logic [15:0] EtherType   = 16'h88B6;
  localparam logic [7:0]  Version     = 8'd1;
  localparam logic [7:0]  TypeControl = 8'd0;
  localparam logic [7:0]  TypeAgg     = 8'd1;
  localparam logic [7:0]  TypeBcast   = 8'd2;
  localparam int          FlagWants   = 0;  // answer wanted

  // Counters of a port's frames, in stat_o's order, and of the node.
  localparam int StatData      = 0;
  localparam int StatAgain     = 1;
  localparam int StatControl   = 2;
  localparam int StatTaken     = 3;
  localparam int StatCame      = 4;
  localparam int StatBad       = 5;
  localparam int StatForeign   = 6;
  localparam int StatDuplicate = 7;
  localparam int StatGap       = 8;
  localparam int StatTimeout   = 9;
  localparam int PortStats     = 10;
  localparam int NodeStats     = 3;
  localparam int Stats         = NodeStats + 2 * PortStats;

  // Bits of error_o.
  localparam int ErrorLeft     = 0;  // the left neighbour does not answer
  localparam int ErrorRight    = 1;
  localparam int ErrorLength   = 2;  // two chunks of one number differ in bytes
  localparam int ErrorHost     = 3;  // a host's packet is no chunk
  localparam int ErrorProtocol = 4;  // a neighbour breaks the rules
  localparam int Errors        = 5;

  localparam int OutputDepthLog2 = 3;   // beats of an output queue
  localparam int IdleCycles      = 16;  // without an issue, until an ack gets a frame of its own
  localparam int MostTries       = 16;  // time-outs without progress until a neighbour counts as dead

  // a < b of numbers that wrap: bit 31 of a - b.
  function automatic below(input [31:0] a, input [31:0] b);
    below = $signed(a - b) < 32'sd0;
  endfunction

  // The same for a node's own numbers, which are never farther apart than a few windows of 1,024 chunks.
  function automatic near_below(input [31:0] a, input [31:0] b);
    near_below = $signed(13'(a - b)) < 13'sd0;
  endfunction
  function automatic near_same(input [31:0] a, input [31:0] b);
    near_same = 12'(a ^ b) == 12'd0;
  endfunction

  function automatic [15:0] swap16(input [15:0] value);
    swap16 = {value[7:0], value[15:8]};
  endfunction
  function automatic [31:0] swap32(input [31:0] value);
    swap32 = {value[7:0], value[15:8], value[23:16], value[31:24]};
  endfunction

  // Bytes of a beat: those below the lowest zero of tkeep.
  function automatic [6:0] count_bytes(input [63:0] keep);
    logic [7:0] full;  // of eights of bytes
    logic [7:0] eight;
    for (int i = 0; i < 8; i++) full[i] = &keep[8*i +: 8];
    count_bytes[6]   = &full;
    count_bytes[5:3] = !full[0] || (&full) ? 3'd0 : !full[1] ? 3'd1 : !full[2] ? 3'd2 : !full[3] ? 3'd3
                     : !full[4] ? 3'd4 : !full[5] ? 3'd5 : !full[6] ? 3'd6 : 3'd7;
    eight = keep[63:56];
    for (int i = 6; i >= 0; i--) if (!full[i]) eight = keep[8*i +: 8];
    count_bytes[2:0] = !eight[0] || (&eight) ? 3'd0 : !eight[1] ? 3'd1 : !eight[2] ? 3'd2 : !eight[3] ? 3'd3
                     : !eight[4] ? 3'd4 : !eight[5] ? 3'd5 : !eight[6] ? 3'd6 : 3'd7;
  endfunction

  // Words of four bytes of a chunk's last beat, as one bit each; `words` of the chunk modulo 16.
  function automatic [15:0] last_words(input [3:0] words);
    for (int i = 0; i < 16; i++) last_words[i] = words == 4'd0 || words > 4'(i);
  endfunction

  // The last beat of a chunk of 1..2,048 words.
  function automatic [6:0] last_beat(input [11:0] words);
    last_beat = 7'((words - 12'd1) >> 4);
  endfunction

  // Where a bank holds a beat of a chunk: slot chunk mod W.
  function automatic [16:0] place(input [31:0] chunk, input [6:0] beat, input int slots_log2,
                                  input int beats_log2);
    logic [31:0] slot;
    slot  = chunk & ~(32'hFFFF_FFFF << slots_log2);
    place = 17'(slot << beats_log2) | {10'd0, beat};
  endfunction
endpackage
/* verilator lint_on UNUSEDPARAM */

`default_nettype wire
