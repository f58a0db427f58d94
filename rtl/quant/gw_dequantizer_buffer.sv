// Holds up to four beats of packets; shows the three oldest from a place on, with what each packet's header says beside its beats.
// Latency 1 cycle, a beat a cycle.
// docs/devices/dequantizer.md, burst buffer, window.
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
  input  wire logic [1:0]   leave_i,     // beats that leave in this cycle
  input  wire logic [1:0]   word_i,      // of the oldest beat, from which on words are shown
  output logic              some_o,      // not empty
  output logic              last_o,      // the oldest beat ends its packet
  output logic              end_o,       // a beat of the window does
  output logic [1:0]        place_o,     // the window's last beat, 0..2
  output logic [9:0]        bits_o,      // up to its end, from the oldest beat's first bit on
  output logic [7:0]        status_o,    // with end_o: the packet's last byte, and whether its input was in error
  output logic              user_o,
  output logic [6:0]        reason_o,    // of the oldest beat's packet
  output logic [108:0]      context_o,
  output logic [319:0]      words_o
);
  wire accept = valid_i & ready_o;
  logic [1:0] slot_q;
  logic [2:0] held_q;
  wire  [1:0] free   = slot_q + held_q[1:0];
  wire  [2:0] held_d = held_q + {2'd0, accept} - {1'b0, leave_i};

  // Bytes that count: below the lowest zero of a last beat.
  wire [31:0] kept   = keep_i | {32{~last_i}};
  wire [31:0] hole   = ~kept & (kept + 32'd1);
  wire [5:0]  bytes  = {hole == 32'd0, |(hole & 32'hFFFF_0000), |(hole & 32'hFF00_FF00), |(hole & 32'hF0F0_F0F0),
                        |(hole & 32'hCCCC_CCCC), |(hole & 32'hAAAA_AAAA)};
  wire [4:0]  byte_at = bytes[4:0] - 5'd1;
  logic [7:0] byte_before_q;
  wire [63:0] status_word = data_i[{byte_at[4:3], 6'd0} +: 64];
  wire [7:0]  status      = bytes == 6'd0 ? byte_before_q : status_word[{byte_at[2:0], 3'd0} +: 8];

  logic         first_q;
  logic [115:0] packet_q;
  wire  [115:0] header;
  gw_dequantizer_header u_header (
    .header_i(data_i[127:0]), .short_i(bytes < 6'd17), .limit_i, .reason_o(header[115:109]), .context_o(header[108:0])
  );
  wire [115:0] packet = first_q ? header : packet_q;

  (* ram_style = "distributed" *) logic [255:0] data_q    [0:3];
  (* ram_style = "distributed" *) logic [115:0] context_q [0:3];
  logic [5:0] bytes_q  [0:3];
  logic [7:0] status_q [0:3];
  logic       last_q   [0:3];
  logic       user_q   [0:3];
  always_ff @(posedge clk_i) begin
    if (accept) begin
      data_q[free]    <= data_i;
      context_q[free] <= packet;
      bytes_q[free]   <= bytes;
      status_q[free]  <= status;
      last_q[free]    <= last_i;
      user_q[free]    <= user_i;
      packet_q        <= packet;
      byte_before_q   <= data_i[255:248];
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slot_q  <= '0;
      held_q  <= '0;
      first_q <= 1'b1;
      ready_o <= 1'b0;
    end else begin
      slot_q  <= slot_q + leave_i;
      held_q  <= held_d;
      ready_o <= ~held_d[2];
      if (accept) first_q <= last_i;
    end
  end

  wire [1:0] second = slot_q + 2'd1;
  wire [1:0] third  = slot_q + 2'd2;
  wire has_one   = held_q != 3'd0;
  wire has_two   = held_q[2] | held_q[1];
  wire has_three = held_q[2] | (held_q[1] & held_q[0]);
  wire end_one   = has_one & last_q[slot_q];
  wire end_two   = has_two & last_q[second];
  wire end_three = has_three & last_q[third];
  wire reach_two   = has_two & ~end_one;
  wire reach_three = has_three & ~end_one & ~end_two;
  wire [1:0] final_slot = slot_q + place_o;
  assign some_o    = has_one;
  assign last_o    = end_one;
  assign end_o     = end_one | end_two | end_three;
  assign place_o   = {reach_three, reach_two & ~reach_three};
  assign bits_o    = {place_o, 8'd0} + {1'b0, bytes_q[final_slot], 3'd0};
  assign status_o  = status_q[final_slot];
  assign user_o    = user_q[final_slot];
  assign reason_o  = context_q[slot_q][115:109];
  assign context_o = context_q[slot_q][108:0];

  wire [255:0] one   = data_q[slot_q];
  wire [255:0] two   = data_q[second];
  wire [3:0]   at    = {word_i == 2'd3, word_i == 2'd2, word_i == 2'd1, word_i == 2'd0};
  wire [511:0] all   = {two, one};
  // Five words: 33 bytes from any of the first one's. From word 3 on they end with the second beat; the third one only counts.
  for (genvar i = 0; i < 5; i++) begin : gen_word
    assign words_o[64*i +: 64] = (all[64*i +: 64] & {64{at[0]}}) | (all[64*i + 64 +: 64] & {64{at[1]}})
                               | (all[64*i + 128 +: 64] & {64{at[2]}}) | (all[64*i + 192 +: 64] & {64{at[3]}});
  end

  `GW_ASSERT(NoMoreThanFour, held_q <= 3'd4)
  `GW_ASSERT(OnlyWhatIsHereLeaves, {1'b0, leave_i} <= held_q)
  `GW_COVER(Full, held_q == 3'd4)
  `GW_COVER(EmptyLastBeat, accept && last_i && !keep_i[0])
endmodule

`default_nettype wire
