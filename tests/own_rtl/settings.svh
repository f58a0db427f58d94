`define HEADER 0
