// First-word-fall-through FIFO for a few entries (LUT RAM). For two beats of slack take gw_skid.
// Latency 1 cycle from write to read, one transfer a cycle each side.
// Common cell; no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_fifo #(
  parameter int Width = 32,
  parameter int DepthLog2 = 4,
  localparam int Depth = 1 << DepthLog2
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             s_valid_i,
  output logic                  s_ready_o,
  input  wire logic [Width-1:0] s_data_i,
  output logic                  m_valid_o,
  input  wire logic             m_ready_i,
  output logic [Width-1:0]      m_data_o
);
  // One bit more than the address: pointers that differ in that bit alone mean full.
  logic [DepthLog2:0] write_q, read_q;
  (* ram_style = "distributed" *) logic [Width-1:0] memory_q [0:Depth-1];

  assign s_ready_o = (write_q ^ read_q) != {1'b1, {DepthLog2{1'b0}}};
  assign m_valid_o = write_q != read_q;
  assign m_data_o  = memory_q[read_q[DepthLog2-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      write_q <= write_q + {{DepthLog2{1'b0}}, s_valid_i & s_ready_o};
      read_q  <= read_q + {{DepthLog2{1'b0}}, m_valid_o & m_ready_i};
    end
  end

  always_ff @(posedge clk_i) if (s_valid_i & s_ready_o) memory_q[write_q[DepthLog2-1:0]] <= s_data_i;

  wire [DepthLog2:0] held = write_q - read_q;
  `GW_ASSERT(NeverMoreThanDepth, held <= {1'b1, {DepthLog2{1'b0}}})
endmodule

`default_nettype wire
