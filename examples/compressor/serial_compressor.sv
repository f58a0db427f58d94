// A compressor that is not gradwire's: one value a cycle, bytes appended to one store. It is right by the codec's contract, as
// docs/devices/compressor.md has it but for its cycles, in all cases but one: SERIAL_FIXED mends that one (docs/own-rtl.md).
// Latency 9 cycles and more, at best one burst in 10 cycles.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module serial_compressor (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [31:0]       error_count_o
);
  // Bytes that have not left: up to 31 of the groups before, and a group of at most 2 bytes of tags and 8 values of 4.
  localparam int StoreBytes = 31 + 2 + 8 * 4;
`ifdef SERIAL_FIXED
  localparam int CountBits = $clog2(StoreBytes + 1);
`else
  localparam int CountBits = 6;
`endif

  typedef enum logic [1:0] {StAccept, StEncode, StSend} state_e;
  state_e               state_q;
  logic [255:0]         burst_q;  // the value to be encoded next is the lowest
  logic [2:0]           lane_q;
  logic                 first_q, last_q, user_q, bounded_q;
  logic [3:0]           bound_q;
  logic [8*StoreBytes-1:0] store_q;
  logic [CountBits-1:0] begin_q;  // where the group's tags are
  logic [CountBits-1:0] count_q;

  // Which class: exponents are compared with the bound's, 2^-k, and with that of its half.
  wire [31:0] value    = burst_q[31:0];
  wire        sign     = value[31];
  wire [7:0]  exponent = value[30:23];
  wire [7:0]  half     = 8'd127 - {5'd0, bound_q[3:1]};
  wire [7:0]  least    = 8'd127 - {4'd0, bound_q};
  wire        is_raw   = exponent >= 8'd127;
  wire        is_half  = !is_raw && exponent >= half;
  wire        is_byte  = !is_raw && !is_half && exponent >= least;

  // Fixed point: HALF from 1.0 down; BYTE from its own ceiling down, or, as in the paper, from 1.0.
  wire [7:0]  below     = 8'd127 - exponent;
  wire [7:0]  skipped   = bounded_q ? {5'd0, bound_q[3:1]} : 8'd0;
  wire [14:0] half_bits = 15'({1'b1, value[22:8]} >> below);
  wire [6:0]  byte_bits = 7'({1'b1, value[22:16]} >> (below - skipped));

  logic [1:0]  tag;
  logic [31:0] payload;
  logic [2:0]  bytes;
  always_comb begin
    tag     = 2'd0;
    payload = 32'd0;
    bytes   = 3'd0;
    if (is_raw) begin
      tag     = 2'd3;
      payload = value;
      bytes   = 3'd4;
    end else if (is_half) begin
      tag     = 2'd2;
      payload = {16'd0, sign, half_bits};
      bytes   = 3'd2;
    end else if (is_byte) begin
      tag     = 2'd1;
      payload = {24'd0, sign, byte_bits};
      bytes   = 3'd1;
    end
  end

  // Lanes that a last beat has not got, or has in part, are zeros; the beat is in error if its bytes are not whole lanes from 0.
  wire [255:0] held;
  wire [7:0]   whole;  // the beat's bytes are lanes 0..i
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    assign held[32*i +: 32] = s_axis_tdata[32*i +: 32] & {32{!s_axis_tlast || s_axis_tkeep[4*i +: 4] == 4'hF}};
    assign whole[i]         = s_axis_tkeep == 32'hFFFF_FFFF >> (28 - 4 * i);
  end

  wire [CountBits+2:0] tag_at = {begin_q, 3'b000} + (CountBits+3)'({lane_q, 1'b0});

  // A beat leaves while 32 bytes are there; after a packet's last group also what is left of them.
  wire [CountBits-1:0] full = CountBits'(32);
  assign m_axis_tvalid = state_q == StSend && (count_q >= full || (last_q && count_q != CountBits'(0)));
  assign m_axis_tlast  = last_q && count_q <= full;
  assign m_axis_tuser  = m_axis_tlast && user_q;
  assign m_axis_tdata  = store_q[255:0];
  assign m_axis_tkeep  = count_q >= full ? 32'hFFFF_FFFF : ~(32'hFFFF_FFFF << count_q[4:0]);

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      state_q       <= StAccept;
      s_axis_tready <= 1'b0;
      first_q       <= 1'b1;
      count_q       <= '0;
      store_q       <= '0;
      error_count_o <= 32'd0;
    end else begin
      case (state_q)
        StAccept: begin
          s_axis_tready <= 1'b1;
          if (s_axis_tvalid && s_axis_tready) begin
            s_axis_tready <= 1'b0;
            burst_q       <= held;
            last_q        <= s_axis_tlast;
            user_q        <= s_axis_tlast && (s_axis_tuser || whole == 8'd0);
            first_q       <= s_axis_tlast;
            if (first_q) begin
              bound_q   <= bound_i;
              bounded_q <= bounded_i;
            end
            lane_q  <= 3'd0;
            begin_q <= count_q;
            count_q <= count_q + CountBits'(2);
            state_q <= StEncode;
          end
        end
        StEncode: begin
          store_q <= store_q | (520'(payload) << {count_q, 3'b000}) | (520'(tag) << tag_at);
          count_q <= count_q + CountBits'(bytes);
          burst_q <= burst_q >> 32;
          lane_q  <= lane_q + 3'd1;
          if (lane_q == 3'd7) state_q <= StSend;
        end
        default: begin
          if (m_axis_tvalid && m_axis_tready) begin
            store_q <= store_q >> 256;
            count_q <= count_q >= full ? count_q - full : '0;
            if (m_axis_tuser) error_count_o <= error_count_o + 32'd1;
          end
          if (!m_axis_tvalid) begin
            state_q       <= StAccept;
            s_axis_tready <= 1'b1;
          end
        end
      endcase
    end
  end
endmodule

`default_nettype wire
