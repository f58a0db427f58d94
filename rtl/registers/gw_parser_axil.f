rtl/common/gw_fifo_head.sv
rtl/switch/gw_expether_pkg.sv
rtl/switch/gw_parser.sv
rtl/common/gw_axil_slave.sv
rtl/common/gw_stream_gate.sv
rtl/registers/gw_parser_registers.sv
rtl/registers/gw_parser_axil.sv
