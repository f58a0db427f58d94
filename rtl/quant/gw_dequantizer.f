rtl/common/gw_fifo.sv
rtl/quant/gw_dequantizer_header.sv
rtl/quant/gw_dequantizer_buffer.sv
rtl/quant/gw_dequantizer_code.sv
rtl/quant/gw_dequantizer_step.sv
rtl/quant/gw_dequantizer_lane.sv
rtl/quant/gw_dequantizer_values.sv
rtl/quant/gw_dequantizer.sv
