// Replays a recorded run of the decompressor in Icarus, cycle by cycle: tests/icarus/run.sh decompressor VECTORS.
`define GW_REPLAY_TB gw_decompressor_replay_tb
`define GW_REPLAY_DUT gw_decompressor
`include "gw_codec_replay_tb.svh"
