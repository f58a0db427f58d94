// Delays a word by a constant number of cycles: registers if it is short, else a ring in LUT RAM.
// Latency `Depth` cycles (0 or more), one word a cycle, no stall. For a stall or a variable delay take
// gw_fifo.
// Common cell of the optimizer's PEs; no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// enable_i[k]: there is a word that came k cycles ago; others are not moved. All delays beside each other
// share one counter, count_i, which goes up by one in each cycle and wraps at a power of two that is not
// below Depth - 1. A ring writes and reads one word a cycle, where a shift register would move all of them.
module gw_delay #(
  parameter int Width = 32,
  parameter int Depth = 1,
  localparam int Registers = 5,  // up to here flip-flops are cheaper than a ring's LUTs
  localparam int EnableWidth = Depth > 0 ? Depth : 1,
  localparam int AddressWidth = Depth > Registers ? $clog2(Depth - 1) : 1
) (
  input  wire logic                   clk_i,
  input  wire logic [EnableWidth-1:0] enable_i,
  input  wire logic [7:0]             count_i,
  input  wire logic [Width-1:0]       d_i,
  output logic [Width-1:0]            q_o
);
  if (Depth == 0) begin : gen_wire
    wire unused = ^{clk_i, enable_i, count_i};
    assign q_o = d_i;
  end else if (Depth <= Registers) begin : gen_registers
    wire unused_count = ^count_i;
    wire [Width-1:0] tap [0:Depth] /* verilator split_var */;
    assign tap[0] = d_i;
    for (genvar i = 0; i < Depth; i++) begin : gen_register
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i) if (enable_i[i]) data_q <= tap[i];
      assign tap[i+1] = data_q;
    end
    assign q_o = tap[Depth];
  end else begin : gen_ring
    (* ram_style = "distributed" *)
    logic [Width-1:0] ring_q [0:(1 << AddressWidth)-1];
    wire [AddressWidth-1:0] write_at = count_i[AddressWidth-1:0];
    wire [7:0] read_at = count_i - 8'(Depth - 1);  // and one cycle in the output's register
    wire unused = ^{count_i, read_at, enable_i};
    always_ff @(posedge clk_i) begin
      if (enable_i[0]) ring_q[write_at] <= d_i;
      if (enable_i[Depth-1]) q_o <= ring_q[read_at[AddressWidth-1:0]];
    end
  end
endmodule

`default_nettype wire
