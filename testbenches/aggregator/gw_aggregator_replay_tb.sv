// Replays a recorded run of the aggregator in Icarus, cycle by cycle: tests/icarus/run.sh aggregator VECTORS.
`define GW_REPLAY_TB gw_aggregator_replay_tb
`define GW_REPLAY_DUT gw_aggregator #(.DepthLog2(4))
`define GW_REPLAY_PINS .workers_i(5'd3), .group_i(16'd1), .depth_i(5'd16),
`define GW_REPLAY_STATS 22
`include "gw_frame_replay_tb.svh"
