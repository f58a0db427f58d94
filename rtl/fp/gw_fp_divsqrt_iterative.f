rtl/fp/gw_fp_pkg.sv
rtl/fp/gw_fp_stage.sv
rtl/fp/gw_fp_unpack.sv
rtl/fp/gw_fp_finish.sv
rtl/fp/gw_fp_divsqrt_iterative.sv
