-f ../own_rtl/compressor.f
comb_loop.sv
