rtl/fp/gw_fp_pkg.sv
rtl/fp/gw_fp_registers.sv
rtl/fp/gw_fp_sqrt_pkg.sv
rtl/fp/gw_fp_sqrt.sv
