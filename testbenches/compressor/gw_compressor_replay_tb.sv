// Replays a recorded run of the compressor in Icarus, cycle by cycle: tests/icarus/run.sh compressor VECTORS.
`define GW_REPLAY_TB gw_compressor_replay_tb
`define GW_REPLAY_DUT gw_compressor
`include "gw_codec_replay_tb.svh"
