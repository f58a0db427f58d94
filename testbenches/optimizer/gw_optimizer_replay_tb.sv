// Replays a recorded run of the optimizer in Icarus, cycle by cycle: tests/icarus/run.sh optimizer VECTORS. Adam on two
// pipelined PEs.
`define GW_REPLAY_TB gw_optimizer_replay_tb
`define GW_REPLAY_DUT gw_optimizer #(.Algorithm(2), .Pes(2), .Fast(1'b1), .DepthLog2(2))
`define GW_REPLAY_PINS .cfg_valid_i, .cfg_address_i, .cfg_data_i,
`define GW_REPLAY_STATS 16
`include "gw_frame_replay_tb.svh"
