// Four beats in their places, with what a packet's header says beside each of its beats, and with what a group of the mask coding
// that began at each of their bytes would take: so that whoever goes from group to group adds nothing up.
// Latency 1 cycle, a beat a cycle.
// docs/devices/dequantizer.md, buffer.
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
  output logic [6:0]        total_o,     // bytes of the oldest beats up to the packet's end, all ones: more than 65, or not known
  output logic              user_o,      // of that end: the input was in error
  output logic [7:0]        status_o,
  output logic [511:0]      beats_o,     // the two oldest
  output logic [8:0]        group_o,     // a mask at byte_i: bytes up to its group's end 7, whether it needs a second beat, a third
  output logic              zero_o,      // that mask is 0
  output logic [6:0]        reason_o,    // of the oldest beat's packet
  output logic [2:0]        format_o,
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
  wire [5:0]  bytes  = {hole == 32'd0, |(hole & 32'hFFFF_0000), |(hole & 32'hFF00_FF00), |(hole & 32'hF0F0_F0F0),
                        |(hole & 32'hCCCC_CCCC), |(hole & 32'hAAAA_AAAA)};
  wire [31:0] final_byte = valid & ~{1'b0, valid[31:1]};
  logic [7:0] byte_before_q;
  wire [7:0]   status;
  for (genvar i = 0; i < 8; i++) begin : gen_status
    wire [31:0] column;
    for (genvar j = 0; j < 32; j++) begin : gen_column
      assign column[j] = data_i[8*j + i] & final_byte[j];
    end
    assign status[i] = |column | (byte_before_q[i] & ~kept[0]);
  end

  logic [132:0] packet_q;
  wire  [6:0]   reason;
  wire  [2:0]   format;
  wire          rice, empty;
  wire  [3:0]   k;
  wire  [4:0]   fixed;
  wire  [16:0]  last_beat;
  wire  [19:0]  n;
  wire  [63:0]  levels;
  gw_dequantizer_header u_header (
    .header_i(data_i[127:0]), .short_i(~&kept[16:0]), .limit_i, .reason_o(reason), .format_o(format), .rice_o(rice), .empty_o(empty), .k_o(k),
    .fixed_o(fixed), .last_o(last_beat), .n_o(n), .levels_o(levels)
  );
  wire       one_beat = last_beat == 17'd0;
  wire       raw = format == 3'd0;
  wire       mx  = format[2] & format[1];
  wire [5:0] first_length = raw ? (one_beat & n[2:0] != 3'd0 ? {1'b0, n[2:0], 2'd0} : 6'd32)
                          : mx ? (format[0] ? (one_beat ? 6'd17 : 6'd5) : one_beat ? 6'd33 : 6'd9) : 6'd1;
  wire       by_masks = ~(raw | mx | format == 3'd4);
  wire [6:0] first_finish = {1'b0, first_length} + 7'd16;
  wire  [132:0] header = {by_masks, first_finish >= 7'd63, first_finish >= 7'd31, first_finish, empty | one_beat, levels, n, last_beat, fixed, k, empty, rice, format, reason};
  wire [132:0] packet = first_q ? header : packet_q;

  // What a group takes, were each byte a mask.
  wire [319:0] groups;   // by columns: 32 of each bit
  wire [9:0]   found;
  wire [2:0] coded = inner_q ? packet_q[9:7] : data_i[2:0];
  wire wgt = coded == 3'd1;
  wire qgt = coded == 3'd3;
  for (genvar j = 0; j < 32; j++) begin : gen_group
    wire [7:0] mask = data_i[8*j +: 8];
    // In threes: sums of many bits would be made bit by bit.
    wire [1:0] a = {(mask[0] & mask[1]) | (mask[0] & mask[2]) | (mask[1] & mask[2]), mask[0] ^ mask[1] ^ mask[2]};
    wire [1:0] b = {(mask[3] & mask[4]) | (mask[3] & mask[5]) | (mask[4] & mask[5]), mask[3] ^ mask[4] ^ mask[5]};
    wire [1:0] c = {mask[6] & mask[7], mask[6] ^ mask[7]};
    wire [3:0] count = {2'd0, a} + {2'd0, b} + {2'd0, c};
    wire [5:0] length = count == 4'd0 ? 6'd2 : wgt ? {count, 2'd1} : qgt ? {2'd0, count} + 6'd2 : 6'd2;
    localparam [6:0] Place = j;
    wire [6:0] finish = Place + {1'b0, length};
    wire [9:0] here = {count == 4'd0, finish >= 7'd63, finish >= 7'd31, finish};
    for (genvar i = 0; i < 10; i++) begin : gen_bit
      assign groups[32*i + j] = here[i];
    end
  end

  (* ram_style = "distributed" *) logic [255:0] data_q    [0:3];
  (* ram_style = "distributed" *) logic [90:0]  context_q [0:3];  // not needed before the cycle behind: reason, n, levels
  (* ram_style = "registers" *) logic [44:0]  fields_q [0:3];
  (* ram_style = "registers" *) logic [319:0] groups_q [0:3];
  (* ram_style = "registers" *) logic [5:0] bytes_q  [0:3];
  (* ram_style = "registers" *) logic [7:0] status_q [0:3];
  (* ram_style = "registers" *) logic       last_q   [0:3];
  (* ram_style = "registers" *) logic       user_q   [0:3];
  always_ff @(posedge clk_i) begin
    if (accept) begin
      data_q[at]    <= data_i;
      context_q[at] <= {packet[6:0], packet[57:38], packet[121:58]};
      fields_q[at]  <= {packet[132:123], packet[40:38], packet[122], packet[37:21], packet[20:16], packet[15:12], packet[11], packet[10], packet[9:7]};
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
  assign {reason_o, n_o, levels_o} = context_q[one];
  assign {mask_o, first_o, tail_o, single_o, beat_o, fixed_o, k_o, empty_o, rice_o, format_o} = fields_q[one];
  wire [319:0] groups_zero  = groups_q[0];
  wire [319:0] groups_one   = groups_q[1];
  wire [319:0] groups_two   = groups_q[2];
  wire [319:0] groups_three = groups_q[3];
  for (genvar b = 0; b < 10; b++) begin : gen_found
    wire [127:0] all;
    wire [31:0]  of_four;
    wire [7:0]   of_sixteen;
    wire [1:0]   of_two;
    assign all = {groups_three[32*b +: 32], groups_two[32*b +: 32], groups_one[32*b +: 32], groups_zero[32*b +: 32]};
    for (genvar i = 0; i < 32; i++) begin : gen_four
      assign of_four[i] = byte_i[1] ? (byte_i[0] ? all[4*i+3] : all[4*i+2]) : (byte_i[0] ? all[4*i+1] : all[4*i]);
    end
    for (genvar i = 0; i < 8; i++) begin : gen_sixteen
      assign of_sixteen[i] = byte_i[3] ? (byte_i[2] ? of_four[4*i+3] : of_four[4*i+2]) : (byte_i[2] ? of_four[4*i+1] : of_four[4*i]);
    end
    for (genvar i = 0; i < 2; i++) begin : gen_two
      assign of_two[i] = one[0] ? (byte_i[4] ? of_sixteen[4*i+3] : of_sixteen[4*i+2]) : (byte_i[4] ? of_sixteen[4*i+1] : of_sixteen[4*i]);
    end
    assign found[b] = of_two[one[1]];
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
