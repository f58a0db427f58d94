// What nic_rx knows of packed frames, and masks of bytes for its realigners.
// Constants and functions, no latency.
// INCEPTIONN (MICRO'18) section VI-A; the packed frame's layout is ours: docs/devices/nic_rx.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// the other engine, in the same folder, needs none
package gw_nic_rx_pkg;  /* verilator lint_off UNUSEDPARAM */
  localparam logic [15:0] TypeIpv4 = 16'h0800;
  localparam logic [15:0] TypeTag  = 16'h8100;
  localparam logic [7:0]  ProtocolIcmp = 8'd1;
  localparam logic [7:0]  ProtocolTcp = 8'd6;
  localparam logic [7:0]  ProtocolUdp = 8'd17;
  localparam logic [16:0] MinFrame = 17'd60;
  localparam logic [16:0] MaxFrame = 17'd9018;  /* verilator lint_on UNUSEDPARAM */

  // A number that lies in network order from a byte of a beat on: that byte's bits are the upper ones.
  function automatic [15:0] swap16(input [15:0] bytes);
    swap16 = {bytes[7:0], bytes[15:8]};
  endfunction

  // A beat's valid bytes, 0..32: those below the lowest zero of `keep`, which counts on the frame's last beat
  // only.
  function automatic [5:0] count_of(input [31:0] keep, input last);
    logic [31:0] kept, zero;  // zero: the lowest one, one hot
    kept     = keep | {32{~last}};
    zero     = ~kept & (kept + 32'd1);
    count_of = {&kept, |(zero & 32'hFFFF_0000), |(zero & 32'hFF00_FF00), |(zero & 32'hF0F0_F0F0),
                |(zero & 32'hCCCC_CCCC),
                |(zero & 32'hAAAA_AAAA)};
  endfunction

  // tkeep of so many bytes.
  function automatic [31:0] keep_of(input [5:0] count);
    keep_of = ~(32'hFFFF_FFFF << count);
  endfunction

  // The bits of a beat's word `word` that lie in the beat's first `count` bytes.
  function automatic [63:0] below(input [5:0] count, input [1:0] word);
    below = {64{count[5:3] > {1'b0, word}}} |
            ({64{count[5:3] == {1'b0, word}}} & ~(64'hFFFF_FFFF_FFFF_FFFF << {count[2:0], 3'b000}));
  endfunction
endpackage

`default_nettype wire
