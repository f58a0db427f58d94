// Quotes: ICMP errors whose quoted packet is a packed one. Says which frames are, and what of the quoted IPv4
// header is to be new.
// Class with the packed frames' (gw_nic_rx_parser); details 6 cycles from the seventh (or last) beat, one
// frame a cycle.
// INCEPTIONN (MICRO'18) section VI-A is silent about routers; ours: docs/devices/nic_rx.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_nic_rx_quotes (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  // Bytes 32 to 223 of the frame as they come. Once the next frame has begun they stay for two cycles, those
  // from byte 64 on for three.
  input  wire logic [1535:0] window_i,
  // A beat, one cycle after it is accepted: the seventh, or the frame's last if that comes before.
  input  wire logic          decides_i,
  // What the parser knows from the first beat on, until the next frame's.
  input  wire logic          icmp_i,          // IPv4, sound, unfragmented, of ICMP
  input  wire logic [3:0]    words_i,         // by which its message is later than byte 34
  input  wire logic [16:0]   end_i,           // where the packet ends
  input  wire logic [7:0]    protocol_tcp_i,
  input  wire logic [7:0]    protocol_udp_i,
  input  wire logic [7:0]    size_i,          // of the frame up to the beat before, one cycle after it
  // a quote by type and quoted protocol, two cycles after what says so is accepted
  output logic               looks_o,
  output logic               quote_o,         // and it holds them, by size_i
  output logic               valid_o,         // details of a quote
  output logic               good_o,          // it is to be mended
  output logic [3:0]         words_o,
  output logic               tcp_o,
  output logic               lengthens_o,     // total length is new, too
  output logic [15:0]        total_o,
  output logic [15:0]        checksum_o,
  output logic               forget_o,
  output logic [95:0]        key_o
);
  localparam logic [7:0] Unreachable = 8'd3, TimeExceeded = 8'd11, ParameterProblem = 8'd12;
  localparam logic [7:0] ProtocolUnreachable = 8'd2;  // a code of the first
  localparam int QuoteAt = 42, LeastFrame = QuoteAt + 10;  // without options and tag
  localparam logic [16:0] MaxTotal = 17'd9004;        // of the largest frame without a tag

  // 1. Class. The message begins at byte 34 + 4 * words, what it quotes 8 bytes further: places are counted
  // in words of four bytes from byte 34 on, two bytes into the window.
  wire [7:0]   kind, code;
  assign {code, kind} = window_i[16 + 32*words_i +: 16];
  wire [159:0] quoted  = window_i[16 + 64 + 32*words_i +: 160];
  wire [7:0]   protocol = quoted[8*9 +: 8];
  wire [15:0]  offset   = gw_nic_rx_pkg::swap16(quoted[8*6 +: 16]);  // of the fragment, under three flags
  wire [7:0]   least    = {2'd0, words_i, 2'd0} + 8'(LeastFrame);  // bytes up to the quoted protocol
  logic looks_q;
  always_ff @(posedge clk_i) begin
    looks_q <= icmp_i && (kind == Unreachable || kind == TimeExceeded || kind == ParameterProblem)
               && (protocol == protocol_tcp_i || protocol == protocol_udp_i);
  end
  assign looks_o = looks_q;
  // A frame below that says nothing of where its message begins.
  assign quote_o = size_i >= 8'(LeastFrame) && looks_q && size_i >= least;

  // 2. The quoted header, one cycle after the deciding beat's.
  logic         decide2_q, sound2_q, whole2_q, start2_q, tcp2_q, unreachable2_q;
  logic [3:0]   ihl2_q;
  logic [7:0]   protocol2_q;
  logic [15:0]  total2_q, checksum2_q;
  logic [63:0]  addresses2_q;
  always_ff @(posedge clk_i) begin
    decide2_q      <= decides_i && rst_ni;
    sound2_q       <= quoted[7:4] == 4'd4 && quoted[3:0] >= 4'd5;
    ihl2_q         <= quoted[3:0];
    total2_q       <= gw_nic_rx_pkg::swap16(quoted[8*2 +: 16]);
    whole2_q       <= offset[13:0] == 14'd0;  // no fragment
    start2_q       <= offset[12:0] == 13'd0;  // at most its first one
    tcp2_q         <= protocol == protocol_tcp_i;
    protocol2_q    <= protocol;
    checksum2_q    <= gw_nic_rx_pkg::swap16(quoted[8*10 +: 16]);
    addresses2_q   <= quoted[8*12 +: 64];
    unreachable2_q <= kind == Unreachable && code == ProtocolUnreachable;
  end

  // 3. The quoted transport header's ports and length. Only the bytes below `limit` are there; what is read
  // after them is another frame's.
  wire [7:0]  limit2    = end_i < {9'd0, size_i} ? end_i[7:0] : size_i;
  wire [4:0]  place2    = {1'b0, words_i} + {1'b0, ihl2_q};  // in words from byte 42 on
  wire [7:0]  header2   = {1'b0, place2, 2'd0} + 8'(QuoteAt);
  logic        decide3_q, good3_q, starts3_q, holds3_q, tcp3_q;
  logic [3:0]  words3_q, ihl3_q, offset3_q;
  logic [4:0]  place3_q;
  logic [7:0]  limit3_q, protocol3_q;
  logic [15:0] total3_q, checksum3_q;
  logic [95:0] key3_q;
  wire [159:0] transport2 = window_i[8*(QuoteAt - 32) + 32*place2 +: 160];
  always_ff @(posedge clk_i) begin
    decide3_q   <= decide2_q && quote_o && rst_ni;
    good3_q     <= sound2_q && header2 <= limit2;
    starts3_q   <= unreachable2_q && tcp2_q && start2_q && header2 + 8'd4 <= limit2;
    // a shim after a header without options
    holds3_q    <= whole2_q && header2 + (tcp2_q ? 8'd24 : 8'd12) <= limit2;
    tcp3_q      <= tcp2_q;
    words3_q    <= words_i;
    ihl3_q      <= ihl2_q;
    offset3_q   <= transport2[8*12 + 4 +: 4];
    place3_q    <= place2;
    limit3_q    <= limit2;
    protocol3_q <= protocol2_q;
    total3_q    <= total2_q;
    checksum3_q <= checksum2_q;
    key3_q      <= {transport2[31:0], addresses2_q};
  end

  // 4. The shim. The checksum's sum begins with what is known: ~HC + ~m + m' for the word of TTL and
  // protocol, of which only the protocols' difference is left, and ~m for the total length's.
  wire  [3:0]  length3 = tcp3_q ? offset3_q : 4'd2;  // of the transport header, in words
  wire  [5:0]  shim3   = {1'b0, place3_q} + {2'd0, length3};
  wire  [7:0]  past3   = {shim3, 2'd0} + 8'(QuoteAt + 4);
  wire  [7:0]  protocol3 = tcp3_q ? gw_nic_rx_pkg::ProtocolTcp : gw_nic_rx_pkg::ProtocolUdp;
  logic        decide4_q, good4_q, forget4_q, reaches4_q, tcp4_q;
  logic [3:0]  words4_q;
  typedef struct packed {  // byte 0 lowest
    logic [7:0] length_low;
    logic [7:0] length_high;
    logic [7:0] mode;
    logic [3:0] version;
    logic [3:0] crc;
  } shim_t;
  shim_t       shim4_q;
  logic [6:0]  headers4_q;  // bytes in front of the shim
  logic [17:0] sum4_q;
  logic [15:0] total4_q;
  logic [95:0] key4_q;
  always_ff @(posedge clk_i) begin
    decide4_q  <= decide3_q && rst_ni;
    good4_q    <= good3_q;
    forget4_q  <= good3_q && starts3_q;
    reaches4_q <= holds3_q && (!tcp3_q || offset3_q >= 4'd5) && past3 <= limit3_q;
    tcp4_q     <= tcp3_q;
    words4_q   <= words3_q;
    shim4_q    <= window_i[8*(QuoteAt - 32) + 32*shim3 +: 32];
    headers4_q <= {1'b0, ihl3_q, 2'd0} + {1'b0, length3, 2'd0};
    sum4_q     <= {2'd0, ~checksum3_q} + (18'h0FFFF - {10'd0, protocol3_q} + {10'd0, protocol3});
    total4_q   <= total3_q;
    key4_q     <= key3_q;
  end

  // 5. Whether the shim is one of nic_tx's.
  typedef struct packed {  // what the shim's CRC covers
    logic [3:0]  version;
    logic        bounded;
    logic        reserved;
    logic [3:0]  bound;
    logic [1:0]  head;
    logic [15:0] length;
  } covered_t;
  covered_t covered;
  assign covered = {shim4_q.version, shim4_q.mode, shim4_q.length_high, shim4_q.length_low};
  wire [15:0] length  = covered.length;
  wire [1:0]  head    = covered.head;
  wire [16:0] total   = {10'd0, headers4_q} + {1'b0, length};
  // their bytes, and the tail's; negative if the head is longer
  wire [16:0] floats  = {1'b0, length} - {15'd0, head};
  wire shim_good = covered.version == gw_nic_pkg::ShimVersion && shim4_q.crc == gw_nic_pkg::crc4(covered)
                   && !covered.reserved && covered.bound != 4'd0 && covered.bound != 4'd15
                     && (tcp4_q || head == 2'd0) && !floats[16] && floats[15:2] != 14'd0
                   && total <= MaxTotal;
  logic        decide5_q, good5_q, forget5_q, lengthens5_q, tcp5_q;
  logic [3:0]  words5_q;
  logic [17:0] sum5_q;
  logic [15:0] total5_q, old_total5_q;
  logic [95:0] key5_q;
  always_ff @(posedge clk_i) begin
    decide5_q    <= decide4_q && rst_ni;
    good5_q      <= good4_q;
    forget5_q    <= forget4_q;
    lengthens5_q <= reaches4_q && shim_good;
    tcp5_q       <= tcp4_q;
    words5_q     <= words4_q;
    sum5_q       <= sum4_q;
    total5_q     <= total[15:0];
    old_total5_q <= total4_q;
    key5_q       <= key4_q;
  end

  // 6. The sum with the total length's m' and ~m, folded. It has at most 18 bits: m' is at most 9,004.
  wire [17:0] sum = sum5_q + ({2'd0, total5_q} + {2'd0, ~old_total5_q} & {18{lengthens5_q}});
  wire [16:0] folded = {1'b0, sum[15:0]} + {15'd0, sum[17:16]};
  assign valid_o     = decide5_q;
  assign good_o      = good5_q;
  assign words_o     = words5_q;
  assign tcp_o       = tcp5_q;
  assign lengthens_o = lengthens5_q;
  assign total_o     = total5_q;
  assign checksum_o  = ~(folded[15:0] + {15'd0, folded[16]});
  assign forget_o    = forget5_q;
  assign key_o       = key5_q;

  wire unused = ^{quoted, covered.bounded, offset[15:14], transport2, total[16], floats[1:0]};
endmodule

`default_nettype wire
