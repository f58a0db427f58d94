-f ../own_rtl/compressor.f
sparse_beats.sv
