// First-word-fall-through FIFO whose output is a register, for words that are looked at before they are
// taken; to the cycle as gw_fifo, which has no such register and is smaller.
// Latency 1 cycle from write to read, one transfer a cycle each side.
// Common cell; no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_fifo_head #(
  parameter int Width = 32,
  parameter int DepthLog2 = 4,  // of the memory after the register, at least one place of which stays free
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
  // Each word has a place in the memory, also one that goes straight into the register. `read_q` names the
  // place of the word that goes there next, `next_q` the one after it. One bit more than the address:
  // pointers that differ in that bit alone mean full.
  localparam logic [DepthLog2:0] One = {{DepthLog2{1'b0}}, 1'b1};
  logic [DepthLog2:0] write_q, read_q, next_q;
  logic               more_q;  // write_q != read_q, known when the cycle begins
  (* ram_style = "distributed" *) logic [Width-1:0] memory_q [0:Depth-1];

  wire push    = s_valid_i & s_ready_o;
  wire load    = ~m_valid_o | m_ready_i;
  wire some    = more_q | push;      // there is a word for the register
  wire several = write_q != next_q;  // if there are more: than one
  wire [DepthLog2:0] step = {{DepthLog2{1'b0}}, some};
  assign s_ready_o = (write_q ^ read_q) != {1'b1, {DepthLog2{1'b0}}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      next_q    <= One;
      more_q    <= 1'b0;
      m_valid_o <= 1'b0;
    end else begin
      if (push) write_q <= write_q + One;
      more_q    <= push ? more_q | ~load : more_q & (~load | several);
      m_valid_o <= ~load | some;
      if (load) begin  // which is late: no sum waits for it, nor does another condition
        read_q <= read_q + step;
        next_q <= next_q + step;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push) memory_q[write_q[DepthLog2-1:0]] <= s_data_i;
    if (load) m_data_o <= more_q ? memory_q[read_q[DepthLog2-1:0]] : s_data_i;
  end

  wire [DepthLog2:0] held = write_q - read_q;
  `GW_ASSERT(NeverMoreThanDepth, held <= {1'b1, {DepthLog2{1'b0}}})
  `GW_ASSERT(MoreIsThePointers, more_q == (write_q != read_q) && next_q == read_q + One)
endmodule

`default_nettype wire
