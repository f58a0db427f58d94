rtl/fp/gw_fp_pkg.sv
rtl/fp/gw_fp_registers.sv
rtl/fp/gw_fp_div_pkg.sv
rtl/fp/gw_fp_div.sv
