-f ../own_rtl/compressor.f
ready_in_reset.sv
