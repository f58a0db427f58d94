// What both of the NIC's engines know of the shim, version 2.
// Constants and functions, no latency.
// INCEPTIONN (MICRO'18) section VI-A; the shim is ours: docs/devices/nic_rx.md, as the paper is silent.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_nic_pkg;
  localparam logic [3:0] ShimVersion = 4'd2;

  // CRC-4 of the shim, x^4 + x + 1 from 0, over its other bits: version, byte 1, bytes 2 and 3. Each bit of
  // the CRC is the parity of those bits in whose remainder it is (proven against the long division:
  // tests/formal/gw_nic_crc_props.sv).
  function automatic [3:0] crc4(input [27:0] bits);
    crc4 = {^(bits & 28'h3D6_47AC), ^(bits & 28'h1EB_23D6), ^(bits & 28'h8F5_91EB), ^(bits & 28'h7AC_8F59)};
  endfunction
endpackage

`default_nettype wire
