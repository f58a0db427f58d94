+incdir+../../rtl/common
../../rtl/codec/gw_codec_pkg.sv
../../rtl/common/gw_fifo_2w.sv
../../rtl/codec/gw_compression_block.sv
../../rtl/codec/gw_compression_unit.sv
../../rtl/codec/gw_alignment_unit.sv
../../rtl/codec/gw_compressor.sv
