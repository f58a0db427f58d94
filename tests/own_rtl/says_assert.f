-f compressor.f
says_assert.sv
