// Header judge: says of each frame how it is treated (its class), and when it ends what becomes of it unless
// it is packed.
// Latency to the class 2 cycles from the fourth beat and 1 from the fifth, to the action 1 from the last; one
// beat a cycle.
// INCEPTIONN (MICRO'18) section VI-A: packets are picked by their ToS; all other rules are
// docs/devices/nic_tx.md's.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Beats are looked at in the cycle in which they are accepted and kept nowhere but in a window of the first
// four, which hold all header bytes that matter: TCP's fixed part ends at byte 98. The last of the options
// ends in the fifth beat, so that it takes that beat's size to know whether they are all there.
module gw_nic_tx_judge (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [7:0]   mark_i,           // the configuration, looked at with a frame's first beat
  input  wire logic [7:0]   mark_mask_i,
  input  wire logic         grid_i,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [7:0]   protocol_tcp_i,
  input  wire logic [7:0]   protocol_udp_i,
  input  wire logic         forget_i,
  input  wire logic [95:0]  forget_key_i,
  input  wire logic         valid_i,          // a beat is accepted
  input  wire logic [255:0] data_i,
  input  wire logic [5:0]   count_i,          // bytes, 32 before the last beat
  input  wire logic         last_i,
  input  wire logic         user_i,
  output logic              first_o,          // it is its frame's first
  output logic              class_valid_o,
  output logic [1:0]        class_o,
  // of a candidate, from here on: bytes from the frame's first one
  output logic [7:0]        payload_at_o,
  output logic [7:0]        floats_at_o,
  output logic [11:0]       floats_o,         // whole ones
  output logic [1:0]        head_o,           // bytes before and after them
  output logic [1:0]        tail_o,
  output logic [13:0]       total_o,          // IPv4's total length
  output logic [13:0]       end_o,            // where that ends in the frame
  output logic              tag_o,
  output logic              tcp_o,
  output logic [6:0]        checksum_at_o,    // the transport's
  output logic [15:0]       ip_checksum_o,
  output logic [15:0]       checksum_o,
  output logic [7:0]        protocol_o,       // what it says once it is packed
  output logic [3:0]        bound_o,
  output logic              bounded_o,
  output logic              action_valid_o,
  output logic [3:0]        action_o,         // ActionStored of what may be packed
  output logic              drop_o,
  output logic              overlong_o,       // 282 beats are here, and none of them is the last
  output logic              evicted_o,
  output logic              forgotten_o
);
  // 1. Take in: the window, and what counts of each beat.
  // counted from 0: all from this one on are the same
  localparam logic [8:0] LastBeat = 9'(gw_nic_tx_pkg::MaxBeats);
  logic [8:0] index_q;
  assign first_o = index_q == 9'd0;
  logic        beat_valid_q, beat_last_q, beat_user_q, extract_q, early_q;
  logic [5:0]  beat_count_q;
  logic [8:0]  beat_index_q;
  logic [38:0] config_q;
  logic [1023:0] window_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q      <= '0;
      beat_valid_q <= 1'b0;
      extract_q    <= 1'b0;
    end else begin
      if (valid_i) index_q <= last_i ? 9'd0 : index_q == LastBeat ? LastBeat : index_q + 9'd1;
      beat_valid_q <= valid_i;
      extract_q    <= valid_i && (index_q == 9'd3 || (last_i && index_q < 9'd3));
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      beat_last_q  <= last_i;
      beat_user_q  <= user_i;
      beat_count_q <= count_i;
      beat_index_q <= index_q;
      early_q      <= last_i && index_q <= 9'd3;
      if (first_o) config_q <= {grid_i, bound_i, bounded_i, protocol_tcp_i, protocol_udp_i, mark_mask_i,
                                mark_i & mark_mask_i, 1'b0};
    end
    for (int i = 0; i < 4; i++) if (valid_i && index_q == 9'(i)) window_q[256*i +: 256] <= data_i;
  end
  wire [13:0] beat_size = {beat_index_q, 5'd0} + {8'd0, beat_count_q};
  assign overlong_o = beat_valid_q && !beat_last_q && beat_index_q == LastBeat - 9'd1;

  // 2. Extract: fields, in the order of their bytes, and what each says by itself. A frame that is too short
  // for one shows bytes of those before; its size decides before they are looked at.
  wire         tag    = window_q[8*12 +: 16] == 16'h0081;
  wire [15:0]  kind   = tag ? window_q[8*16 +: 16] : window_q[8*12 +: 16];
  wire [159:0] ip     = tag ? window_q[8*18 +: 160] : window_q[8*14 +: 160];
  wire [3:0]   ihl    = ip[3:0];
  wire [15:0]  total  = gw_nic_tx_pkg::swap16(ip[8*2 +: 16]);
  wire [7:0]   protocol = ip[8*9 +: 8];
  wire         grid;
  wire [3:0]   bound;
  wire         bounded;
  wire [7:0]   protocol_tcp, protocol_udp, mark_mask, mark;
  wire         unused_config;
  assign {grid, bound, bounded, protocol_tcp, protocol_udp, mark_mask, mark, unused_config} = config_q;
  // The transport header lies two bytes after a word of four. It is looked for when it is wanted, for a
  // simulator's sake.
  wire [4:0] transport_word = {1'b0, ihl} + 5'd3 + {4'd0, tag};
  logic [143:0] transport_bytes;
  always_comb begin
    transport_bytes = '0;
    if (extract_q) for (int i = 8; i < 20; i++) transport_bytes |= window_q[32*i + 16 +: 144]
      & {144{transport_word == 5'(i)}};
  end

  logic        early2_q, user2_q;
  logic [13:0] size2_q;
  logic        ethertype_q, tag_q, version_q, marked_q, fragment_q, tcp_q, udp_q, reserved_q, syn_q, grid_q,
    bounded_q;
  logic [3:0]  ihl_q, data_offset_q, bound_q;
  logic [15:0] total_q, udp_length_q, ip_checksum_q, checksum_q;
  logic [16:0] rest_q;  // of the packet after IPv4's header; negative if it ends in that
  logic [7:0]  protocol_q;
  logic [1:0]  sequence_q;
  always_ff @(posedge clk_i) early2_q <= extract_q && early_q && rst_ni;
  always_ff @(posedge clk_i) begin
    if (extract_q) begin
      user2_q       <= beat_user_q;
      size2_q       <= beat_size;
      ethertype_q   <= kind == 16'h0008;
      tag_q         <= tag;
      version_q     <= ip[7:4] == 4'd4;
      ihl_q         <= ihl;
      marked_q      <= (ip[15:8] & mark_mask) == mark;
      total_q       <= total;
      rest_q        <= {1'b0, total} - {11'd0, ihl, 2'd0};
      fragment_q    <= ip[8*6 +: 6] != 6'd0 || ip[8*7 +: 8] != 8'd0;  // more fragments, or an offset
      tcp_q         <= protocol == gw_nic_tx_pkg::Tcp;
      udp_q         <= protocol == gw_nic_tx_pkg::Udp;
      reserved_q    <= protocol == protocol_tcp || protocol == protocol_udp;
      protocol_q    <= protocol == gw_nic_tx_pkg::Tcp ? protocol_tcp : protocol_udp;
      ip_checksum_q <= gw_nic_tx_pkg::swap16(ip[8*10 +: 16]);
      sequence_q    <= transport_bytes[8*7 +: 2];
      udp_length_q  <= gw_nic_tx_pkg::swap16(transport_bytes[8*4 +: 16]);
      data_offset_q <= transport_bytes[8*12+4 +: 4];
      syn_q         <= transport_bytes[8*13+1];
      checksum_q    <= gw_nic_tx_pkg::swap16(protocol == gw_nic_tx_pkg::Tcp ? transport_bytes[8*16 +: 16]
                                             : transport_bytes[8*6 +: 16]);
      grid_q        <= grid;
      bound_q       <= bound;
      bounded_q     <= bounded;
    end
  end

  // A flow to be forgotten: its key takes the place of a frame's in the cycle after the one in which the
  // frame that brings it begins, and the table looks at it in the next. The frame before has no use for its
  // own any more then (a SYN teaches in the second cycle after its last beat), and this frame's comes later,
  // as a frame of one beat holds no transport header.
  logic        forget1_q, forget2_q;
  logic [95:0] forget_key1_q, key_q;
  always_ff @(posedge clk_i) begin
    forget1_q <= valid_i && first_o && forget_i && rst_ni;
    forget2_q <= forget1_q && rst_ni;
  end
  always_ff @(posedge clk_i) begin
    // The first byte on the wire is the lowest one here.
    if (valid_i && first_o) for (int i = 0; i
                                 < 12; i++) forget_key1_q[8*i +: 8] <= forget_key_i[8*(11 - i) +: 8];
    if (forget1_q || extract_q) key_q <= forget1_q ? forget_key1_q : {transport_bytes[31:0], ip[8*12 +: 64]};
  end

  // 3. Judge. The size is the whole frame's in the cycle of its action, and at least five beats' before.
  wire [13:0] size         = early2_q ? size2_q : beat_size;
  wire        user         = early2_q ? user2_q : beat_user_q;
  wire [6:0]  link         = tag_q ? 7'd18 : 7'd14;
  wire [6:0]  transport_at = link + {1'b0, ihl_q, 2'd0};
  wire [16:0] packet_end   = {10'd0, link} + {1'b0, total_q};
  wire        sound        = version_q && ihl_q >= 4'd5 && !rest_q[16] && size >= {7'd0, link} + 14'd20
                             && size >= {7'd0, transport_at}
                             && packet_end <= 17'(gw_nic_tx_pkg::MaxFrame);
  wire        transport    = !fragment_q && (tcp_q || udp_q);
  wire [5:0]  header       = udp_q ? 6'd8 : {data_offset_q, 2'd0};
  wire [16:0] payload      = rest_q - {11'd0, header};
  wire        complete     = !payload[16] && size >= {6'd0, payload_at_o}
                             && (udp_q ? {1'b0, udp_length_q} == rest_q : data_offset_q >= 4'd5);
  wire        teaches      = transport && tcp_q && syn_q;

  wire        known;
  wire [1:0]  phase;
  assign head_o = tcp_q && !grid_q ? phase - sequence_q : 2'd0;
  wire        borrow = payload[1:0] < head_o;
  wire        few    = payload[15:2] == 14'd0 || (payload[15:2] == 14'd1 && borrow);

  // What asks the flow table comes last, as its answer does.
  wire ipv4      = ethertype_q && size >= {7'd0, link};
  wire fits      = ipv4 && sound && (!transport || complete);
  wire reserved  = fits && !fragment_q && reserved_q;
  wire may_pack  = fits && transport && !reserved_q && marked_q && !teaches && payload[15:0] != 16'd0;
  wire candidate = may_pack && (tcp_q ? grid_q || known : payload[1:0] == 2'd0) && !few;
  wire [3:0] said =  // by the headers
      !ipv4                           ? gw_nic_tx_pkg::ActionNotIpv4
      : !fits                         ? gw_nic_tx_pkg::ActionBadHeader
      : reserved                      ? gw_nic_tx_pkg::ActionReserved
      : marked_q && teaches           ? gw_nic_tx_pkg::ActionSyn
      : !marked_q                     ? gw_nic_tx_pkg::ActionNotMarked
      : fragment_q                    ? gw_nic_tx_pkg::ActionFragment
      : !transport                    ? gw_nic_tx_pkg::ActionOtherProtocol
      : !may_pack                     ? gw_nic_tx_pkg::ActionNoPayload
      : candidate                     ? gw_nic_tx_pkg::ActionStored
      : tcp_q && !grid_q && !known    ? gw_nic_tx_pkg::ActionNoStreamStart
      : udp_q && payload[1:0] != 2'd0 ? gw_nic_tx_pkg::ActionUnaligned
      :                                 gw_nic_tx_pkg::ActionFew;
  assign class_valid_o = early2_q || (beat_valid_q && beat_index_q == 9'd4);
  assign class_o       = candidate ? gw_nic_tx_pkg::ClassCandidate : reserved ? gw_nic_tx_pkg::ClassReserved
                         : gw_nic_tx_pkg::ClassBypass;
  assign payload_at_o  = {1'b0, transport_at} + {2'd0, header};
  assign floats_at_o   = payload_at_o + {6'd0, head_o};
  assign floats_o      = payload[13:2] - {11'd0, borrow};
  assign tail_o        = payload[1:0] - head_o;
  assign total_o       = total_q[13:0];
  assign end_o         = packet_end[13:0];
  assign tag_o         = tag_q;
  assign tcp_o         = tcp_q;
  assign checksum_at_o = transport_at + (tcp_q ? 7'd16 : 7'd6);
  assign ip_checksum_o = ip_checksum_q;
  assign checksum_o    = checksum_q;
  assign protocol_o    = protocol_q;
  assign bound_o       = bound_q;
  assign bounded_o     = bounded_q;

  // 4. At the end: a contradiction between the frame's size and its packet's, bytes after that, a frame taken
  // back.
  wire contradicts = {3'd0, size} < packet_end || size > 14'(gw_nic_tx_pkg::MaxFrame);
  wire trailer     = may_pack && {3'd0, size} > packet_end;
  assign action_valid_o = early2_q || (beat_valid_q && beat_last_q && beat_index_q > 9'd3);
  assign action_o       = user                        ? gw_nic_tx_pkg::ActionBadInput
                          : fits && contradicts ? gw_nic_tx_pkg::ActionBadHeader
                          : trailer                   ? gw_nic_tx_pkg::ActionTrailer
                          :                             said;
  // What is longer than it may be, is never dropped: its begin may have left.
  assign drop_o = size <= 14'(gw_nic_tx_pkg::MaxFrame)
                  && (user ? candidate || reserved : reserved && !contradicts);

  // A SYN teaches in the second cycle after its last beat. What was extracted is still there then, as the
  // next frame's first beats take as long.
  wire  learn_d = action_valid_o && teaches && fits && !reserved && !contradicts && !user;
  logic learn_q;
  always_ff @(posedge clk_i) learn_q <= learn_d && !early2_q && rst_ni;
  gw_nic_tx_flows u_flows (
    .clk_i, .rst_ni,
    .key_i       (key_q),
    .known_o     (known),
    .phase_o     (phase),
    .learn_i     (learn_q || (learn_d && early2_q)),
    .phase_i     (sequence_q + 2'd1),
    .evicted_o   (evicted_o),
    .forget_i    (forget2_q),
    .forgotten_o (forgotten_o)
  );

  wire unused_bytes = ^{window_q[95:0], window_q[1023:784], ip[8*4 +: 16], ip[8*6+6 +: 2], ip[8*8 +: 8],
                        transport_bytes[8*7+2 +: 46],
                        transport_bytes[8*8 +: 36], transport_bytes[104], transport_bytes[111:106],
                          transport_bytes[127:112]};
  `GW_ASSERT(OneActionAtATime, !early2_q || !beat_valid_q || beat_index_q <= 9'd3)
endmodule

`default_nettype wire
