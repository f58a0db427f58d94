// Four beats in their places, with what a packet's header says beside each of its beats, and with what a
// group of the mask coding that began at each of their bytes would take: so that whoever goes from group to
// group adds nothing up.
// Latency 1 cycle, a beat a cycle.
// docs/devices/dequantizer.md, buffer.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_buffer (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [19:0]  limit_i,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [255:0] data_i,
  input  wire logic [31:0]  keep_i,
  input  wire logic         last_i,
  input  wire logic         user_i,
  input  wire logic [2:0]   read_i,      // the oldest beat: place 2 below a bit that turns with each round
  input  wire logic [1:0]   two_i,       // places of the second and the third
  input  wire logic [1:0]   three_i,
  input  wire logic [4:0]   byte_i,      // of it
  output logic [2:0]        held_o,
  output logic [2:0]        last_o,      // the oldest beat ends its packet; so does the second, the third
  // bytes of the oldest beats up to the packet's end, all ones: more than 65, or not known
  output logic [6:0]        total_o,
  output logic              user_o,      // of that end: the input was in error
  output logic [7:0]        status_o,
  output logic [511:0]      beats_o,     // the two oldest
  // a mask at byte_i: bytes up to its group's end 7, whether it needs a second beat, a third
  output logic [8:0]        group_o,
  output logic              zero_o,      // that mask is 0
  output logic [6:0]        reason_o,    // of the oldest beat's packet: all there are
  output logic [2:0]        format_o,    // 6 for both kinds of MXFP8
  output logic              e5m2_o,
  output logic              rice_o,
  output logic              empty_o,
  output logic              single_o,    // one token: empty, or n is 8 or less
  output logic [3:0]        k_o,
  output logic [4:0]        fixed_o,
  output logic              mask_o,      // plain, mask
  output logic [8:0]        first_o,     // as group_o, of the packet's first token, were it no mask
  output logic [16:0]       beat_o,      // index of the last output beat
  output logic [19:0]       n_o,
  output logic [2:0]        tail_o,      // n mod 8
  output logic [63:0]       levels_o
);
  logic [2:0] write_q;
  logic       up_q, first_q;
  logic       inner_q;   // not first: for what hangs on many bytes
  wire accept = valid_i & ready_o;
  wire [1:0] at = write_q[1:0];
  assign held_o  = write_q - read_i;
  assign ready_o = up_q & ~held_o[2];

  // Bytes that count: below the lowest zero of a last beat.
  wire [31:0] kept   = keep_i | {32{~last_i}};
  wire [31:0] beyond = kept + 32'd1;
  wire [31:0] hole   = ~kept & beyond;
  wire [31:0] valid  = kept & ~beyond;
  wire [5:0]  bytes  = {hole == 32'd0, |(hole & 32'hFFFF_0000), |(hole & 32'hFF00_FF00),
                        |(hole & 32'hF0F0_F0F0),
                        |(hole & 32'hCCCC_CCCC), |(hole & 32'hAAAA_AAAA)};
  wire [31:0] final_byte = valid & ~{1'b0, valid[31:1]};
  // Bit i of each byte: columns of 32. Eight bytes at a time are turned over in three steps, which are wires.
  wire [255:0] columns;
  for (genvar w = 0; w < 4; w++) begin : gen_columns
    wire [63:0] x = data_i[64*w +: 64];
    wire [63:0] y = (x & 64'hAA55_AA55_AA55_AA55) | ((x & 64'h00AA_00AA_00AA_00AA) << 7)
                    | ((x >> 7) & 64'h00AA_00AA_00AA_00AA);
    wire [63:0] z = (y & 64'hCCCC_3333_CCCC_3333) | ((y & 64'h0000_CCCC_0000_CCCC) << 14)
                    | ((y >> 14) & 64'h0000_CCCC_0000_CCCC);
    wire [63:0] t = (z & 64'hF0F0_F0F0_0F0F_0F0F) | ((z & 64'h0000_0000_F0F0_F0F0) << 28)
                    | ((z >> 28) & 64'h0000_0000_F0F0_F0F0);
    for (genvar i = 0; i < 8; i++) begin : gen_bit
      assign columns[32*i + 8*w +: 8] = t[8*i +: 8];
    end
  end
  logic [7:0] byte_before_q;
  wire [7:0]   status;
  for (genvar i = 0; i < 8; i++) begin : gen_status
    assign status[i] = (columns[32*i +: 32] & final_byte) != 32'd0 | (byte_before_q[i] & ~kept[0]);
  end

  // What the header says, for as long as the packet lasts.
  typedef struct packed {
    logic        e5m2;
    logic        by_masks;
    logic        needs_third;   // the first token's group does
    logic        needs_second;
    logic [6:0]  first_finish;  // its end
    logic        single;        // one token
    logic [63:0] levels;
    logic [19:0] n;
    logic [16:0] last_beat;
    logic [4:0]  fixed;
    logic [3:0]  k;
    logic        empty;
    logic        rice;
    logic [2:0]  format;
    logic [6:0]  reason;
  } packet_t;
  packet_t packet_q;
  wire  [6:0]   reason;
  wire  [2:0]   format;
  wire          e5m2, rice, empty;
  wire  [3:0]   k;
  wire  [4:0]   fixed;
  wire  [16:0]  last_beat;
  wire  [19:0]  n;
  wire  [63:0]  levels;
  gw_dequantizer_header u_header (
    .header_i (data_i[127:0]),
    .short_i  (~&kept[16:0]),
    .limit_i,
    .reason_o (reason),
    .format_o (format),
    .e5m2_o   (e5m2),
    .rice_o   (rice),
    .empty_o  (empty),
    .k_o      (k),
    .fixed_o  (fixed),
    .last_o   (last_beat),
    .n_o      (n),
    .levels_o (levels)
  );
  wire       one_beat = last_beat == 17'd0;
  wire       raw = format == 3'd0;
  wire       mx  = format[2] & format[1];
  wire [5:0] first_length = raw ? (one_beat & n[2:0] != 3'd0 ? {1'b0, n[2:0], 2'd0} : 6'd32)
                          : mx ? (format[0] ? (one_beat ? 6'd17 : 6'd5) : one_beat ? 6'd33 : 6'd9) : 6'd1;
  wire       by_masks = ~(raw | mx | format == 3'd4);
  wire [6:0] first_finish = {1'b0, first_length} + 7'd16;
  packet_t header, packet;
  assign header = {e5m2, by_masks, first_finish >= 7'd63, first_finish >= 7'd31, first_finish,
                   empty | one_beat, levels, n,
                   last_beat, fixed, k, empty, rice, format, reason};
  assign packet = first_q ? header : packet_q;

  // What a group takes, were each byte a mask.
  wire [319:0] groups;   // by columns: 32 of each bit, as all that leads to them
  wire [9:0]   found;
  wire [2:0] coded = inner_q ? packet_q.format : data_i[2:0];
  wire wgt = coded == 3'd1;
  wire qgt = coded == 3'd3;
  // In threes: sums of many bits would be made bit by bit.
  wire [31:0] m_0 = columns[31:0],    m_1 = columns[63:32],   m_2 = columns[95:64],   m_3 = columns[127:96];
  wire [31:0] m_4 = columns[159:128], m_5 = columns[191:160], m_6 = columns[223:192], m_7 = columns[255:224];
  wire [31:0] a_0 = m_0 ^ m_1 ^ m_2;
  wire [31:0] a_1 = (m_0 & m_1) | (m_0 & m_2) | (m_1 & m_2);
  wire [31:0] b_0 = m_3 ^ m_4 ^ m_5;
  wire [31:0] b_1 = (m_3 & m_4) | (m_3 & m_5) | (m_4 & m_5);
  wire [31:0] c_0 = m_6 ^ m_7;
  wire [31:0] c_1 = m_6 & m_7;
  wire [31:0] carry   = (a_0 & b_0) | (a_0 & c_0) | (b_0 & c_0);
  wire [31:0] twos    = a_1 ^ b_1 ^ c_1;
  wire [31:0] fours   = (a_1 & b_1) | (a_1 & c_1) | (b_1 & c_1);
  wire [31:0] count_0 = a_0 ^ b_0 ^ c_0;
  wire [31:0] count_1 = twos ^ carry;
  wire [31:0] count_2 = fours ^ (twos & carry);
  wire [31:0] count_3 = fours & twos & carry;
  wire [31:0] none    = ~(m_0 | m_1 | m_2 | m_3 | m_4 | m_5 | m_6 | m_7);
  // 2 of none, of WGT 1 and 4 each, of QGT 2 and 1 each, else 2.
  wire [31:0] floats   = ~none & {32{wgt}};
  wire [31:0] multiples = ~none & {32{qgt}};
  wire [31:0] length_0 = floats | (multiples & count_0);
  wire [31:0] length_1 = ~floats & ~(multiples & count_1);
  wire [31:0] length_2 = (floats & count_0) | (multiples & (count_2 ^ count_1));
  wire [31:0] length_3 = (floats & count_1) | (multiples & (count_3 ^ (count_2 & count_1)));
  wire [31:0] length_4 = floats & count_2;
  wire [31:0] length_5 = floats & count_3;
  // And the place, which is a constant.
  localparam logic [31:0] Place0 = 32'hAAAA_AAAA, Place1 = 32'hCCCC_CCCC, Place2 = 32'hF0F0_F0F0,
                                   Place3 = 32'hFF00_FF00,
                          Place4 = 32'hFFFF_0000;
  wire [31:0] up_1 = length_0 & Place0;
  wire [31:0] up_2 = (length_1 & Place1) | ((length_1 | Place1) & up_1);
  wire [31:0] up_3 = (length_2 & Place2) | ((length_2 | Place2) & up_2);
  wire [31:0] up_4 = (length_3 & Place3) | ((length_3 | Place3) & up_3);
  wire [31:0] up_5 = (length_4 & Place4) | ((length_4 | Place4) & up_4);
  wire [31:0] finish_0 = length_0 ^ Place0;
  wire [31:0] finish_1 = length_1 ^ Place1 ^ up_1;
  wire [31:0] finish_2 = length_2 ^ Place2 ^ up_2;
  wire [31:0] finish_3 = length_3 ^ Place3 ^ up_3;
  wire [31:0] finish_4 = length_4 ^ Place4 ^ up_4;
  wire [31:0] finish_5 = length_5 ^ up_5;
  wire [31:0] finish_6 = length_5 & up_5;
  wire [31:0] odd_ends = finish_0 & finish_1 & finish_2 & finish_3 & finish_4;
  assign groups = {none, finish_6 | (finish_5 & odd_ends), finish_6 | finish_5 | odd_ends,
                   finish_6, finish_5, finish_4, finish_3, finish_2, finish_1, finish_0};

  (* ram_style = "distributed" *) logic [255:0] data_q    [0:3];
  // not needed before the next cycle: E5M2, reason, n, levels
  (* ram_style = "distributed" *) logic [91:0]  context_q [0:3];
  (* ram_style = "registers" *) logic [44:0]  fields_q [0:3];
  (* ram_style = "registers" *) logic [319:0] groups_q [0:3];
  (* ram_style = "registers" *) logic [5:0] bytes_q  [0:3];
  (* ram_style = "registers" *) logic [7:0] status_q [0:3];
  (* ram_style = "registers" *) logic       last_q   [0:3];
  (* ram_style = "registers" *) logic       user_q   [0:3];
  always_ff @(posedge clk_i) begin
    if (accept) begin
      data_q[at]    <= data_i;
      context_q[at] <= {packet.e5m2, packet.reason, packet.n, packet.levels};
      fields_q[at]  <= {packet.by_masks, packet.needs_third, packet.needs_second, packet.first_finish,
                        packet.n[2:0],
                        packet.single, packet.last_beat, packet.fixed, packet.k, packet.empty, packet.rice,
                          packet.format};
      groups_q[at]  <= groups;
      bytes_q[at]   <= bytes;
      status_q[at]  <= status;
      last_q[at]    <= last_i;
      user_q[at]    <= user_i;
      packet_q      <= packet;
      byte_before_q <= data_i[255:248];
    end
  end

  wire [1:0] one   = read_i[1:0];
  wire [1:0] two   = two_i;
  wire [1:0] three = three_i;
  wire here_two   = held_o[2] | held_o[1];
  wire here_three = held_o[2] | (held_o[1] & held_o[0]);
  assign last_o = {last_q[three], last_q[two], last_q[one]};
  wire [6:0] to_two   = {1'b0, bytes_q[two]} + 7'd32;
  wire [5:0] in_three = bytes_q[three];
  assign total_o = last_o[0] ? {1'b0, bytes_q[one]} : last_o[1] & here_two ? to_two
                 : last_o[2] & here_three & in_three[5:1] == 5'd0 ? {6'b100000, in_three[0]} : 7'h7F;
  wire [1:0] final_slot = last_o[0] ? one : last_o[1] ? two : three;
  assign status_o = status_q[final_slot];
  assign user_o   = user_q[final_slot];
  assign beats_o  = {data_q[two], data_q[one]};
  assign {e5m2_o, reason_o, n_o, levels_o} = context_q[one];
  assign {mask_o, first_o, tail_o, single_o, beat_o, fixed_o, k_o, empty_o, rice_o, format_o} = fields_q[one];
  wire [319:0] groups_zero  = groups_q[0];
  wire [319:0] groups_one   = groups_q[1];
  wire [319:0] groups_two   = groups_q[2];
  wire [319:0] groups_three = groups_q[3];
  for (genvar b = 0; b < 10; b++) begin : gen_found
    wire [31:0] of_slot = one[1] ? (one[0] ? groups_three[32*b +: 32] : groups_two[32*b +: 32])
                                 : (one[0] ? groups_one[32*b +: 32] : groups_zero[32*b +: 32]);
    wire [7:0]  of_32   = byte_i[4] ? (byte_i[3] ? of_slot[31:24] : of_slot[23:16])
                          : (byte_i[3] ? of_slot[15:8] : of_slot[7:0]);
    wire [1:0]  of_8    = byte_i[2] ? (byte_i[1] ? of_32[7:6] : of_32[5:4])
                          : (byte_i[1] ? of_32[3:2] : of_32[1:0]);
    assign found[b] = of_8[byte_i[0]];
  end
  assign {zero_o, group_o} = found;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      first_q <= 1'b1;
      inner_q <= 1'b0;
      up_q    <= 1'b0;
    end else begin
      up_q <= 1'b1;
      if (accept) begin
        write_q <= write_q + 3'd1;
        first_q <= last_i;
        inner_q <= ~last_i;
      end
    end
  end

  `GW_ASSERT(NoMoreThanFour, held_o <= 3'd4)
  `GW_COVER(Full, held_o == 3'd4)
  `GW_COVER(EmptyLastBeat, accept && last_i && !keep_i[0])
endmodule

`default_nettype wire
