-f compressor.f
rom/reads_rom.sv
