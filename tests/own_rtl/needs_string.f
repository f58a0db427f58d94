-f compressor.f
needs_string.sv
-GMODE=\"fast\"
