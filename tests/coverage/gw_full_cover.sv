// Whether a queue of `Depth` places was ever full, and whether half of it would have done: bound to each queue of a device's RTL
// (tests/coverage/depths.sh).
`include "gw_assert.svh"
`default_nettype none

module gw_full_cover #(
  parameter int Depth = 16
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] held_i  // words within, that in an output register included
);
  `GW_COVER(Full, held_i >= Depth)
  `GW_COVER(OneLess, held_i == Depth - 1)
  `GW_COVER(MoreThanHalf, held_i > Depth / 2)
endmodule

`ifdef GW_BIND_FIFO
bind gw_fifo gw_full_cover #(.Depth(Depth)) u_full (.clk_i, .rst_ni, .held_i(32'(held)));
`endif
`ifdef GW_BIND_FIFO_2W
bind gw_fifo_2w gw_full_cover #(.Depth(Depth)) u_full (.clk_i, .rst_ni, .held_i(32'(held)));
`endif
`ifdef GW_BIND_FIFO_HEAD
bind gw_fifo_head gw_full_cover #(.Depth(Depth)) u_full (.clk_i, .rst_ni, .held_i(32'(held) + 32'(m_valid_o)));
`endif
`ifdef GW_BIND_NIC_TX_QUEUE
bind gw_nic_tx_queue gw_full_cover #(.Depth(1 << DepthLog2)) u_full (.clk_i, .rst_ni, .held_i(32'(held) + 32'(valid_o)));
`endif
`ifdef GW_BIND_PACKET_QUEUE
bind gw_packet_queue gw_full_cover #(.Depth(1 << DepthLog2)) u_full (.clk_i, .rst_ni, .held_i(32'(used)));
`endif
`ifdef GW_BIND_OPTIMIZATION
bind gw_optimization gw_full_cover #(.Depth(64)) u_full_places (.clk_i, .rst_ni, .held_i(32'(places_q)));
bind gw_optimization gw_full_cover #(.Depth(256)) u_full_queue (.clk_i, .rst_ni, .held_i(32'(used_q)));
`endif

`default_nettype wire
