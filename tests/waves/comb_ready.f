-f ../own_rtl/compressor.f
comb_ready.sv
