-f compressor.f
clock_to_q.sv
