// FIFO of 2^DepthLog2 words in block RAM, its output a register; the user counts the room. For a few words
// take gw_fifo.
// Latency 2 cycles from write to read, one transfer a cycle each side.
// INCEPTIONN (MICRO'18) section VI-A: the virtual FIFOs.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_queue #(
  parameter int Width = 264,
  parameter int DepthLog2 = 10
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             push_i,
  input  wire logic [Width-1:0] data_i,
  output logic                  valid_o,
  input  wire logic             pop_i,   // only while valid_o is 1
  output logic [Width-1:0]      data_o
);
  localparam logic [DepthLog2:0] One = {{DepthLog2{1'b0}}, 1'b1};
  logic [DepthLog2:0] write_q, read_q;  // `read_q` names what is loaded next
  wire more = write_q != read_q;
  wire load = more & (pop_i | ~valid_o);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      if (push_i) write_q <= write_q + One;
      if (load) read_q <= read_q + One;
      valid_o <= more | (valid_o & ~pop_i);
    end
  end

  (* ram_style = "block" *) logic [Width-1:0] memory_q [0:(1 << DepthLog2)-1];
  always_ff @(posedge clk_i) begin
    if (push_i) memory_q[write_q[DepthLog2-1:0]] <= data_i;
    if (load) data_o <= memory_q[read_q[DepthLog2-1:0]];
  end

  wire [DepthLog2:0] held = write_q - read_q;
  `GW_ASSERT(UserCountsTheRoom, held <= {1'b1, {DepthLog2{1'b0}}})
  `GW_ASSERT(OnlyWhatIsThereLeaves, valid_o || !pop_i)
endmodule

`default_nettype wire
