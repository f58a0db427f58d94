// What gw_nic_pkg::crc4 promises: the remainder of the long division by x^4 + x + 1, and that it finds each single flipped bit of a
// shim, its own four included.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_nic_crc_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [27:0] bits_i,  // free
  input wire logic [4:0]  at_i     // free: the bit of the shim that is flipped; its CRC are bits 3:0
);
  function automatic [3:0] divided(input [27:0] bits);
    logic [31:0] rest;
    rest = {bits, 4'd0};
    for (int i = 31; i > 3; i--) if (rest[i]) rest = rest ^ (32'd19 << (i - 4));
    divided = rest[3:0];
  endfunction

  wire [3:0]  crc     = gw_nic_pkg::crc4(bits_i);
  wire [31:0] flipped = {bits_i, crc} ^ (32'd1 << at_i);

  wire [1:0] covers = {crc == 4'd0 && bits_i != 28'd0, crc == 4'd15};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(IsTheRemainder, crc == divided(bits_i))
  `GW_ASSERT(OneFlippedBitIsFound, gw_nic_pkg::crc4(flipped[31:4]) != flipped[3:0])
endmodule

`default_nettype wire
