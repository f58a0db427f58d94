`define HEADER 100
