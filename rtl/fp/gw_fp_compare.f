rtl/fp/gw_fp_pkg.sv
rtl/fp/gw_fp_stage.sv
rtl/fp/gw_fp_compare.sv
