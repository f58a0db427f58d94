rtl/common/gw_fifo_head.sv
rtl/switch/gw_expether_pkg.sv
rtl/switch/gw_parser.sv
