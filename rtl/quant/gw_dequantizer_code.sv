// One Rice code: a gap; if that does not lead to n, a sign and QGT's m.
// Combinational.
// docs/formats/quantised-packets.md, Rice.
`default_nettype none

module gw_dequantizer_code (
  input  wire logic [95:0] bits_i,   // from the code's first bit on
  input  wire logic [9:0]  avail_i,  // so many are the packet's
  input  wire logic [3:0]  k_i,
  input  wire logic        qgt_i,
  input  wire logic [19:0] next_i,   // the index behind the entry before
  input  wire logic [19:0] n_i,
  output logic             entry_o,  // good
  output logic             end_o,    // good
  output logic [19:0]      index_o,
  output logic             sign_o,
  output logic [7:0]       m_o,
  output logic [5:0]       gap_length_o,
  output logic [5:0]       length_o,  // of an entry
  output logic [51:0]      rest_o     // behind an entry
);
  wire [14:0] zero  = ~bits_i[14:0] & (bits_i[14:0] + 15'd1);
  wire        long_form = zero == 15'd0;
  wire [3:0]  q     = {|(zero & 15'h7F00), |(zero & 15'h70F0), |(zero & 15'h4CCC), |(zero & 15'h2AAA)};
  wire [28:0] tail  = bits_i[29:1] >> q;
  wire [13:0] low   = tail[13:0] & ~(14'h3FFF << k_i);
  wire [17:0] high  = {14'd0, q} << k_i;
  wire [19:0] gap   = long_form ? bits_i[34:15] : {2'd0, high} | {6'd0, low};
  assign gap_length_o = long_form ? 6'd35 : {2'd0, q} + {2'd0, k_i} + 6'd1;
  assign length_o     = gap_length_o + 6'd1 + {2'd0, qgt_i, 3'd0};

  wire [95:0] shifted = bits_i >> gap_length_o;
  wire [60:0] behind = shifted[60:0];
  assign sign_o = behind[0];
  assign m_o    = behind[8:1];
  assign rest_o = qgt_i ? behind[60:9] : behind[52:1];

  wire [20:0] index = {1'b0, next_i} + {1'b0, gap};
  assign index_o = index[19:0];
  assign entry_o = index < {1'b0, n_i} & {4'd0, length_o} <= avail_i & ~(qgt_i & m_o == 8'd0);
  assign end_o   = index == {1'b0, n_i} & {4'd0, gap_length_o} <= avail_i;
  wire unused = ^{tail[28:14], shifted[95:61]};
endmodule

`default_nettype wire
