// Packet parser of nic_rx: says which frames are packed, and of these whether the headers and the shim are
// such as nic_tx makes;
// and which quote packed ones (gw_nic_rx_quotes).
// Latency from the fifth (or last) beat: class 2 cycles (3 of frames of fewer beats), details 4; both leave
// for queues of users.
// INCEPTIONN (MICRO'18) section VI-A, which looks at the ToS; the shim is ours: docs/devices/nic_rx.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_nic_rx_parser (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [7:0]   protocol_tcp_i,
  input  wire logic [7:0]   protocol_udp_i,
  // A beat is accepted, and its place in the frame (7: after the seventh); in the next cycle the same from
  // registers.
  input  wire logic         accept_i,
  input  wire logic [2:0]   index_i,
  input  wire logic [255:0] data_i,
  input  wire logic         beat_valid_i,
  input  wire logic [2:0]   beat_index_i,
  input  wire logic [255:0] beat_data_i,
  input  wire logic [5:0]   beat_count_i,
  input  wire logic         beat_last_i,
  output logic              class_valid_o,
  output logic              packed_o,
  output logic              quote_o,
  // For packed frames. Places are those of bytes in the frame.
  output logic              details_valid_o,
  output logic              good_o,       // below: if it is
  output logic              bounded_o,
  output logic [3:0]        bound_o,
  output logic [7:0]        shim_o,       // where the shim begins, P
  output logic [1:0]        head_o,
  output logic [1:0]        head_here_o,  // bytes of head that the frame holds
  output logic [1:0]        tail_o,
  output logic [47:0]       edges_o,
  output logic [13:0]       length_o,
  output logic [8:0]        groups_o,
  output logic [7:0]        lead_o,     // the stream begins after this byte
  output logic [13:0]       end_o,        // the packet's last byte
  output logic              has_tag_o,
  output logic              tcp_o,
  output logic [7:0]        protocol_o,   // what the IPv4 header says
  output logic [15:0]       checksum_o,
  // Quotes.
  output logic              quote_valid_o,
  output logic              quote_good_o,
  output logic [3:0]        quote_words_o,
  output logic              quote_tcp_o,
  output logic              quote_lengthens_o,
  output logic [15:0]       quote_total_o,
  output logic [15:0]       quote_checksum_o,
  output logic              quote_forget_o,
  output logic [95:0]       quote_key_o
);
  // Bytes 32 to 223. A frame's first beat is looked at on its own; the second, once the frame after it has
  // begun, stays for the two cycles in which details are worked out.
  logic [1535:0] window_q;
  logic [7:0]    protocol_tcp_q, protocol_udp_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 6; i++) if (accept_i && index_i == 3'(i + 1)) window_q[256*i +: 256] <= data_i;
    if (accept_i && index_i == 3'd0) {protocol_tcp_q, protocol_udp_q} <= {protocol_tcp_i, protocol_udp_i};
  end

  // 1. First beat: Ethernet, no or one tag, and all of IPv4 that matters, checksum included.
  wire        has_tag   = gw_nic_rx_pkg::swap16(beat_data_i[8*12 +: 16]) == gw_nic_rx_pkg::TypeTag;
  wire [15:0] kind     = gw_nic_rx_pkg::swap16(has_tag ? beat_data_i[8*16 +: 16] : beat_data_i[8*12 +: 16]);
  wire [95:0] ip       = has_tag ? beat_data_i[8*18 +: 96] : beat_data_i[8*14 +: 96];
  wire [15:0] offset   = gw_nic_rx_pkg::swap16(ip[8*6 +: 16]);  // of the fragment, under three flags
  wire [7:0]  protocol = ip[8*9 +: 8];
  wire         ours     = protocol == protocol_tcp_q || protocol == protocol_udp_q;
  wire         sound    = ip[7:4] == 4'd4 && ip[3:0] >= 4'd5;
  wire         whole    = kind == gw_nic_rx_pkg::TypeIpv4 && offset[13:0] == 14'd0;
  logic        has_tag1_q, packed1_q, icmp1_q, tcp1_q, sound1_q;
  logic [3:0]  words1_q;  // of the header
  logic [15:0] total1_q, checksum1_q;
  logic [7:0]  protocol1_q, protocol_tcp1_q, protocol_udp1_q;
  always_ff @(posedge clk_i) begin
    if (beat_valid_i && beat_index_i == 3'd0) begin
      has_tag1_q   <= has_tag;
      packed1_q   <= whole && ours;
      icmp1_q     <= whole && sound && protocol == gw_nic_rx_pkg::ProtocolIcmp && !ours;
      tcp1_q      <= protocol == protocol_tcp_q;
      sound1_q    <= sound;
      {protocol_tcp1_q, protocol_udp1_q} <= {protocol_tcp_q, protocol_udp_q};
      words1_q    <= ip[3:0];
      total1_q    <= gw_nic_rx_pkg::swap16(ip[8*2 +: 16]);
      protocol1_q <= protocol;
      checksum1_q <= gw_nic_rx_pkg::swap16(ip[8*10 +: 16]);
    end
  end

  // 2. Deciding beat, the fifth or the last: the transport header's length, and with it where the shim
  // begins. Headers begin two bytes after a multiple of four, so that places are counted in words of four
  // bytes from there.
  wire        fifth    = beat_valid_i && beat_index_i == 3'd4;
  wire        short    = beat_valid_i && beat_last_i && beat_index_i < 3'd4;
  // words by which the transport header is later than byte 34
  wire [3:0]  options  = words1_q - 4'd5 + {3'd0, has_tag1_q};
  wire [3:0]  data_offset = window_q[8*14 + 4 + 32*options +: 4];
  wire [15:0] udp_length  = gw_nic_rx_pkg::swap16(window_q[8*6 + 32*options +: 16]);
  wire [16:0] packet_end  = {1'b0, total1_q} + (has_tag1_q ? 17'd18 : 17'd14);
  logic       decide2_q, short2_q, sound2_q;
  logic [16:0] udp_payload2_q;  // negative if its header does not fit
  logic [7:0] size2_q;  // of the frame up to the deciding beat
  logic [5:0] least2_q; // words from byte 2 on that the frame must have for its transport header
  logic [4:0] shim2_q;  // words from byte 42 on
  always_ff @(posedge clk_i) begin
    decide2_q <= (fifth | short) && rst_ni;
    short2_q  <= short && rst_ni;
    size2_q   <= {beat_index_i, 5'd0} + {2'd0, beat_count_i};
    sound2_q  <= sound1_q && (!tcp1_q || data_offset >= 4'd5);
    udp_payload2_q <= {1'b0, udp_length} - 17'd8;
    least2_q  <= {2'd0, options} + (tcp1_q ? 6'd13 : 6'd10);
    shim2_q   <= {1'b0, options} + (tcp1_q ? {1'b0, data_offset} - 5'd2 : 5'd0);
  end
  assign class_valid_o = fifth | short2_q;
  // A first beat that is the last holds no IPv4 header: what it said is not looked at.
  wire packed2 = packed1_q && size2_q >= 8'd34 && (size2_q >= 8'd38 || !has_tag1_q);
  assign packed_o = short2_q ? packed2 : packed1_q;
  wire looks2, quote2;
  assign quote_o = short2_q ? quote2 : looks2;

  // 3. The shim and the six bytes after it.
  logic        decide3_q, sound3_q, has_tag3_q, tcp3_q;
  typedef struct packed {  // byte 0 lowest
    logic [47:0] edges;
    logic [7:0]  length_low;
    logic [7:0]  length_high;
    logic [7:0]  mode;
    logic [3:0]  version;
    logic [3:0]  crc;
  } shim_t;
  shim_t       shim3_q;
  logic [7:0]  place3_q, protocol3_q;
  logic [16:0] end3_q, udp_payload3_q;
  logic [1:0]  edges_here3_q;  // at most 3 of them
  logic [15:0] checksum3_q;
  wire  [7:0]  place2 = {1'b0, shim2_q, 2'd0} + 8'd42;
  wire  [7:0]  behind2 = size2_q - place2 - 8'd4;
  always_ff @(posedge clk_i) begin
    decide3_q     <= decide2_q && packed2 && rst_ni;
    sound3_q      <= sound2_q && size2_q >= {least2_q, 2'd2} && size2_q >= place2 + 8'd4;
    edges_here3_q <= behind2[1:0] | {2{|behind2[7:2]}};
    place3_q      <= place2;
    end3_q        <= packet_end - 17'd1;
    udp_payload3_q <= udp_payload2_q;
    has_tag3_q     <= has_tag1_q;
    tcp3_q        <= tcp1_q;
    protocol3_q   <= protocol1_q;
    checksum3_q   <= checksum1_q;
    shim3_q       <= window_q[8*10 + 32*shim2_q +: 80];
  end

  // 4. Verdict. Two bytes a group at least; that more than 34 are too many is in the last check.
  typedef struct packed {  // what the shim's CRC covers
    logic [3:0]  version;
    logic        bounded;
    logic        reserved;
    logic [3:0]  bound;
    logic [1:0]  head;
    logic [15:0] length;
  } covered_t;
  covered_t covered;
  assign covered = {shim3_q.version, shim3_q.mode, shim3_q.length_high, shim3_q.length_low};
  wire [15:0] length = covered.length;
  wire [1:0]  head   = covered.head;
  // their bytes, and the tail's; negative if the head is longer
  wire [16:0] floats = {1'b0, length} - {15'd0, head};
  wire [1:0]  tail   = floats[1:0];
  wire [16:0] groups = floats + 17'd28;                 // a thirty-second of it
  wire [7:0]  lead = place3_q + 8'd3 + {6'd0, head} + {6'd0, tail};
  wire [16:0] least_end = {9'd0, lead} + {4'd0, groups[16:5], 1'b0};
  wire [16:0] result = {9'd0, place3_q} + {1'b0, length};
  assign details_valid_o = decide3_q;
  wire kept = tcp3_q || (head == 2'd0 && udp_payload3_q == {1'b0, length});  // what nic_tx keeps to in UDP
  assign good_o = sound3_q && kept && covered.version == gw_nic_pkg::ShimVersion
                  && shim3_q.crc == gw_nic_pkg::crc4(covered)
                  && !covered.reserved && covered.bound != 4'd0 && covered.bound != 4'd15 && !floats[16]
                  && floats[15:2] != 14'd0 && least_end <= end3_q && result <= gw_nic_rx_pkg::MaxFrame
                                                           && result > gw_nic_rx_pkg::MinFrame && result
                                                           > end3_q + 17'd1;
  assign bounded_o   = covered.bounded;
  assign bound_o     = covered.bound;
  assign shim_o      = place3_q;
  assign head_o      = head;
  assign head_here_o = edges_here3_q < head ? edges_here3_q : head;
  assign tail_o      = tail;
  assign edges_o     = shim3_q.edges;
  assign length_o    = length[13:0];
  assign groups_o    = groups[13:5];
  assign lead_o    = lead;
  assign end_o       = end3_q[13:0];
  assign has_tag_o    = has_tag3_q;
  assign tcp_o       = tcp3_q;
  assign protocol_o  = protocol3_q;
  assign checksum_o  = checksum3_q;

  // 5. Quotes. The seventh beat decides, or the last.
  gw_nic_rx_quotes u_quotes (
    .clk_i, .rst_ni,
    .window_i       (window_q),
    .decides_i      (beat_valid_i && (beat_index_i == 3'd6 || (beat_last_i && beat_index_i < 3'd6))),
    .icmp_i         (icmp1_q),
    .words_i        (options),
    .end_i          (packet_end),
    .protocol_tcp_i (protocol_tcp1_q),
    .protocol_udp_i (protocol_udp1_q),
    .size_i         (size2_q),
    .looks_o        (looks2),
    .quote_o        (quote2),
    .valid_o        (quote_valid_o),
    .good_o         (quote_good_o),
    .words_o        (quote_words_o),
    .tcp_o          (quote_tcp_o),
    .lengthens_o    (quote_lengthens_o),
    .total_o        (quote_total_o),
    .checksum_o     (quote_checksum_o),
    .forget_o       (quote_forget_o),
    .key_o          (quote_key_o)
  );

  wire unused = ^{beat_data_i[95:0], beat_data_i[255:240], ip[15:8], ip[47:32], ip[71:64], offset[15:14],
                  groups[4:0]};
endmodule

`default_nettype wire
