// What a packet's first beat says: why it is malformed, if it is, and what its decoding needs. Worked out on
// arrival.
// Combinational.
// docs/formats/quantised-packets.md, layout and what is malformed.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_header (
  input  wire logic [127:0] header_i,
  input  wire logic         short_i,    // fewer than 17 bytes
  input  wire logic [19:0]  limit_i,
  // all there are: short, format, coding, reserved, count, limit, not_finite
  output logic [6:0]        reason_o,
  output logic [2:0]        format_o,   // 6 for both kinds of MXFP8
  output logic              e5m2_o,
  output logic              rice_o,
  output logic              empty_o,    // nothing is read: the header is malformed
  output logic [3:0]        k_o,
  output logic [4:0]        fixed_o,    // Rice: k, sign, m and the zero
  output logic [16:0]       last_o,     // index of the last beat
  output logic [19:0]       n_o,
  output logic [63:0]       levels_o    // T or the first mean [63:32], the second
);
  typedef struct packed {
    logic [31:0] second;    // the mean of the negative ones; else 0
    logic [31:0] first;     // T, or the other mean; else 0
    logic [31:0] n;
    logic [15:0] reserved;
    logic [7:0]  coding;
    logic [3:0]  above;     // no format has them
    logic [3:0]  format;
  } header_t;
  header_t header;
  assign header = header_i;
  wire        qgt       = format_o == 3'd3;
  wire        threshold = format_o == 3'd1 | format_o == 3'd2 | qgt;
  wire        means     = format_o == 3'd4 | format_o == 3'd5;
  wire        codable   = format_o == 3'd2 | qgt | format_o == 3'd5;
  assign format_o = {header.format[2] | header.format[3], header.format[1] | header.format[3],
                     header.format[0]};
  assign e5m2_o   = header.format[3];
  assign rice_o   = header.coding != 8'd0;
  assign k_o      = header.coding[3:0] - 4'd1;
  assign fixed_o  = {1'b0, header.coding[3:0]} + {1'b0, qgt, 3'd1};
  assign n_o      = header.n[19:0];
  assign levels_o = {header.first, header.second};

  assign reason_o[0] = short_i;
  assign reason_o[1] = header.above != 4'd0 | (header.format[3] & header.format[2:0] != 3'd0);
  assign reason_o[2] = codable ? header.coding[7:4] != 4'd0 : rice_o;
  assign reason_o[3] = header.reserved != 16'd0 | (~threshold & ~means & header.first != 32'd0)
                       | (~means & header.second != 32'd0);
  assign reason_o[4] = header.n == 32'd0;
  assign reason_o[5] = header.n > {12'd0, limit_i};
  assign reason_o[6] = ((threshold | means) & &header.first[30:23]) | (means & &header.second[30:23]);
  assign empty_o     = reason_o != 7'd0;

  wire [19:0] decrement = header.n[19:0] - 20'd1;
  assign last_o = decrement[19:3];
  wire unused = ^decrement[2:0];
endmodule

`default_nettype wire
