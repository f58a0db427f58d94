// Replays a recorded run of the parser in Icarus, cycle by cycle: tests/icarus/run.sh parser VECTORS.
`define GW_REPLAY_TB gw_parser_replay_tb
`define GW_REPLAY_DUT gw_parser
`define GW_REPLAY_PINS
`define GW_REPLAY_STATS 12
`include "gw_frame_replay_tb.svh"
