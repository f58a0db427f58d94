rtl/codec/gw_codec_pkg.sv
rtl/common/gw_fifo.sv
rtl/codec/gw_tag_decoder.sv
rtl/codec/gw_burst_buffer.sv
rtl/codec/gw_decompression_block.sv
rtl/codec/gw_decompression_unit.sv
rtl/codec/gw_decompressor.sv
