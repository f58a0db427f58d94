-f compressor.f
never_reset.sv
