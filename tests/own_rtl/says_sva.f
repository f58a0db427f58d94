-f compressor.f
says_sva.sv
