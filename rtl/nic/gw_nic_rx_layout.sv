// Layout of the frame that nic_rx makes of a packed one: which of its beats hold what, and its IPv4 header's new words.
// Latency 2 cycles.
// INCEPTIONN (MICRO'18) section VI-A; names as in docs/devices/nic_rx.md.
`default_nettype none

module gw_nic_rx_layout (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [7:0]   shim_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [1:0]   head_here_i,
  input  wire logic [1:0]   tail_i,
  input  wire logic [47:0]  edges_i,
  input  wire logic [13:0]  length_i,
  input  wire logic [8:0]   groups_i,
  input  wire logic [13:0]  end_i,
  input  wire logic         has_tag_i,
  input  wire logic         tcp_i,
  input  wire logic [7:0]   protocol_i,
  input  wire logic [15:0]  checksum_i,
  output logic              valid_o,
  output logic [7:0]        shim_o,         // P
  output logic [7:0]        floats_o,       // H
  output logic [8:0]        groups_beat_o,  // J + g
  output logic [13:0]       tail_at_o,      // T - tail
  output logic [13:0]       last_byte_o,    // T - 1
  output logic [23:0]       head_bytes_o,
  output logic [31:0]       tail_bytes_o,   // in the order of the bytes of a word of four: byte i of it for those places
  output logic [13:0]       end_o,
  output logic              has_tag_o,
  output logic [15:0]       total_o,
  output logic [7:0]        protocol_o,
  output logic [15:0]       checksum_o
);
  // 1. Places and sums.
  wire  [7:0]  protocol = tcp_i ? gw_nic_rx_pkg::ProtocolTcp : gw_nic_rx_pkg::ProtocolUdp;
  wire  [13:0] result = {6'd0, shim_i} + length_i;
  logic [17:0] sum_q;
  logic [8:0]  groups_q;
  logic [23:0] tail_q;
  always_ff @(posedge clk_i) begin
    groups_q     <= groups_i;
    shim_o       <= shim_i;
    floats_o     <= shim_i + {6'd0, head_here_i};
    tail_at_o    <= result - {12'd0, tail_i};
    last_byte_o  <= result - 14'd1;
    head_bytes_o <= edges_i[23:0];
    tail_q       <= edges_i[8*head_i +: 24];
    end_o        <= end_i;
    has_tag_o     <= has_tag_i;
    total_o      <= {2'd0, result} - (has_tag_i ? 16'd18 : 16'd14);
    protocol_o   <= protocol;
    // RFC 1624, equation 3: ~HC + ~m + m' for the words of total length and of TTL and protocol; what stays takes itself away.
    sum_q        <= {2'd0, ~checksum_i} + {4'd0, result - 14'd1 - end_i} + (18'h0FFFF - {10'd0, protocol_i} + {10'd0, protocol});
  end

  // 2. What follows from these.
  wire [16:0] folded = {1'b0, sum_q[15:0]} + {15'd0, sum_q[17:16]};
  logic       valid_q;
  always_ff @(posedge clk_i) valid_q <= valid_i && rst_ni;
  assign valid_o       = valid_q;
  assign groups_beat_o = {6'd0, floats_o[7:5]} + groups_q;
  assign checksum_o    = ~(folded[15:0] + {15'd0, folded[16]});
  wire [31:0] tail_twice [0:3];
  assign tail_twice[0] = {8'd0, tail_q};
  assign tail_twice[1] = {tail_q, 8'd0};
  assign tail_twice[2] = {tail_q[15:0], 8'd0, tail_q[23:16]};
  assign tail_twice[3] = {tail_q[7:0], 8'd0, tail_q[23:8]};
  assign tail_bytes_o  = tail_twice[tail_at_o[1:0]];
endmodule

`default_nettype wire
