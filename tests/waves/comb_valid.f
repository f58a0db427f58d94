-f ../own_rtl/compressor.f
comb_valid.sv
