starts.sv
