+define+SERIAL_FIXED
serial_compressor.sv
