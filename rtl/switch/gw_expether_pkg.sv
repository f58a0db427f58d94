// Layout of the ExpEther frame and of the words that tell what a frame is (m_axis_tuser).
// Constants and functions, no latency.
// Optimizer switch (IEICE'21) section 4.2; the byte layout is ours (switch.md section 1), as no public one
// exists.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_expether_pkg;
  // The table is whole, whatever a top uses of it.
  /* verilator lint_off UNUSEDPARAM */
  // Bytes from the frame's first one. What lies in the first beat has offsets below 32.
  localparam int TpidByte      = 12;
  localparam int TciByte       = 14;
  localparam int EtherTypeByte = 16;
  localparam int ControlByte   = 18;
  localparam int VersionByte   = 18;
  localparam int TypeByte      = 19;
  localparam int FlagsByte     = 20;
  localparam int CountByte     = 21;
  localparam int SequenceByte  = 22;
  localparam int AckByte       = 26;
  localparam int WorkerByte    = 30;
  localparam int GroupByte     = 32;
  localparam int IterationByte = 34;
  localparam int ChecksumByte  = 46;
  localparam int ControlEnd    = 48;
  localparam int Tlp4Byte      = 48;
  localparam int Tlp3Byte      = 52;
  localparam int PayloadByte   = 64;

  localparam logic [15:0] Tpid      = 16'h8100;
  localparam logic [15:0] EtherType = 16'h88B5;
  localparam logic [7:0]  Version   = 8'd1;
  localparam logic [7:0]  TypeGradient  = 8'd1;
  localparam logic [7:0]  TypeParameter = 8'd2;
  localparam int          FlagTlp3Dw   = 0;  // bits of the flags
  localparam int          FlagComplete = 1;
  localparam logic [7:0]  TlpMWr32 = 8'h40;
  localparam logic [7:0]  TlpCplD  = 8'h4A;
  localparam logic [7:0]  TlpMWr64 = 8'h60;

  localparam logic [2:0] KindNotExpEther = 3'd0;
  localparam logic [2:0] KindPlain       = 3'd1;
  localparam logic [2:0] KindGradient    = 3'd2;
  localparam logic [2:0] KindParameter   = 3'd3;
  localparam logic [2:0] KindMalformed   = 3'd4;

  localparam logic [2:0] ReasonNone        = 3'd0;
  localparam logic [2:0] ReasonShortFrame  = 3'd1;
  localparam logic [2:0] ReasonBadVersion  = 3'd2;
  localparam logic [2:0] ReasonBadChecksum = 3'd3;
  localparam logic [2:0] ReasonCount       = 3'd4;
  localparam logic [2:0] ReasonTlpLength   = 3'd5;
  localparam logic [2:0] ReasonPoisoned    = 3'd6;
  localparam logic [2:0] ReasonTlpType     = 3'd7;

  // Bit positions in m_axis_tuser.
  localparam int UserKind      = 0;
  localparam int UserReason    = 3;
  localparam int UserComplete  = 6;
  localparam int UserFlags     = 8;
  localparam int UserCount     = 16;
  localparam int UserType      = 24;
  localparam int UserSequence  = 32;
  localparam int UserIteration = 64;
  localparam int UserWorker    = 96;
  localparam int UserGroup     = 112;
  localparam int UserTci       = 128;
  localparam int UserAction    = 144;
  localparam int UserOptimised = 147;
  localparam int UserPort      = 148;
  localparam int UserAck       = 160;

  // Whether the optimizer works on a frame: a complete sum, of a sequence number below 2^depth_log2.
  function automatic logic selects(input [2:0] kind, input complete, input [31:0] sequence_no,
                                   input int depth_log2);
    selects = kind == KindGradient && complete && (sequence_no >> depth_log2) == 32'd0;
  endfunction

  // Sixteen bits that lie in network order from a byte of a beat on: the byte's own bits are the upper ones.
  function automatic [15:0] swap16(input [15:0] bytes);
    swap16 = {bytes[7:0], bytes[15:8]};
  endfunction
  function automatic [31:0] swap32(input [31:0] bytes);
    swap32 = {bytes[7:0], bytes[15:8], bytes[23:16], bytes[31:24]};
  endfunction

  // Number of bytes of a beat, modulo 32, from a tkeep that is contiguous from byte 0: of n ones, n / 2 lie
  // at every second place, n / 4 at every fourth one, and so on; each bit of n is the parity of one such
  // number.
  function automatic [4:0] bytes_below_32(input [31:0] keep);
    bytes_below_32 = {keep[15] ^ keep[31], ^(keep & 32'h8080_8080), ^(keep & 32'h8888_8888),
                      ^(keep & 32'hAAAA_AAAA), ^keep};
  endfunction

  // A header's checksum once one of its words has grown by `difference`, in one's complement: RFC 1624. What
  // the header is like otherwise does not matter. A difference of 0xFFFF is none, one of 0 is not allowed: so
  // the result is never 0xFFFF, as with RFC 1071. Both sums at once, so that none waits for the other's
  // carry.
  function automatic [15:0] amend(input [15:0] checksum, input [15:0] difference);
    logic [16:0] sum;
    logic [15:0] around;  // with the carry that comes back in
    logic [1:0]  unused;
    sum   = {1'b0, ~checksum} + {1'b0, difference};
    {unused[1], around, unused[0]} = {1'b0, ~checksum, 1'b1} + {1'b0, difference, 1'b1};
    amend = ~(sum[16] ? around : sum[15:0]);
  endfunction

  // Whether a sum of at most 15 words, with its carries added back in, is 0xFFFF, as that of an intact
  // header; with no carry left: 0x1FFFE is out of reach.
  function automatic logic folds_to_ones(input [19:0] sum);
    folds_to_ones = sum[15:0] == {12'hFFF, ~sum[19:16]};
  endfunction

  // One's complement sum, not folded, of seven words in network order: the header's bytes 18..31, or 32..45.
  function automatic [19:0] header_sum(input [111:0] bytes);
    header_sum = {4'd0, swap16(bytes[15:0])} + {4'd0, swap16(bytes[31:16])} + {4'd0, swap16(bytes[47:32])}
               + {4'd0, swap16(bytes[63:48])} + {4'd0, swap16(bytes[79:64])} + {4'd0, swap16(bytes[95:80])}
               + {4'd0, swap16(bytes[111:96])};
  endfunction
  /* verilator lint_on UNUSEDPARAM */
endpackage

`default_nettype wire
