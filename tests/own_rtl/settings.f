-f compressor.f
settings.sv settings.c
