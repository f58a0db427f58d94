// Flow table: where floats begin in each TCP stream. 256 flows, direct mapped by the key's bytes; a newer one
// evicts.
// Combinational lookup, one a cycle; what is learned or forgotten counts from the next cycle on.
// INCEPTIONN (MICRO'18) section VI-A is silent about where a float begins in a segment; ours,
// docs/devices/nic_tx.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_flows (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  // source and destination address, source and destination port; bits 7:0 are the first byte
  input  wire logic [95:0] key_i,
  output logic             known_o,
  output logic [1:0]       phase_o,     // of the stream's first byte's number, while known_o is 1
  input  wire logic        learn_i,     // key_i's phase is phase_i
  input  wire logic [1:0]  phase_i,
  output logic             evicted_o,   // by that, another flow goes
  input  wire logic        forget_i,    // key_i goes
  output logic             forgotten_o  // it was there
);
  // The two directions of a connection have the same bytes, and so the same XOR: the one whose source is the
  // greater end has its place in the other half.
  function automatic [47:0] end_of(input [31:0] address, input [15:0] port);
    end_of = {address[7:0], address[15:8], address[23:16], address[31:24], port[7:0], port[15:8]};
  endfunction
  wire [47:0] source      = end_of(key_i[31:0], key_i[79:64]);
  wire [47:0] destination = end_of(key_i[63:32], key_i[95:80]);
  wire [7:0]  hash  = key_i[7:0] ^ key_i[15:8] ^ key_i[23:16] ^ key_i[31:24] ^ key_i[39:32] ^ key_i[47:40]
                    ^ key_i[55:48] ^ key_i[63:56] ^ key_i[71:64] ^ key_i[79:72] ^ key_i[87:80] ^ key_i[95:88];
  wire [7:0]  place = hash ^ {source > destination, 7'd0};
  logic [255:0] used_q;
  (* ram_style = "distributed" *) logic [97:0] memory_q [0:255];
  wire [97:0] entry = memory_q[place];
  wire        same  = entry[95:0] == key_i;
  assign known_o     = used_q[place] & same;
  assign phase_o     = entry[97:96];
  assign evicted_o   = learn_i & used_q[place] & ~same;
  assign forgotten_o = forget_i & known_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else if (learn_i | forgotten_o) used_q[place] <= learn_i;
  end
  always_ff @(posedge clk_i) if (learn_i) memory_q[place] <= {phase_i, key_i};

  `GW_ASSERT(LearnsOrForgets, !(learn_i && forget_i))
endmodule

`default_nettype wire
