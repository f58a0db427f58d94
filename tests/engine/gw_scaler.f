gw_scaler.sv
