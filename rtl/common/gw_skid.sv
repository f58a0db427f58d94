// Skid register: cuts valid, ready and data of a stream by registers. For more than two beats of slack take
// gw_fifo.
// Latency 1 cycle, one transfer a cycle.
// Common cell; no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_skid #(
  parameter int Width = 32
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
  // The transfer that came in while the output waited; it is taken before anything newer.
  logic             skid_valid_q;
  logic [Width-1:0] skid_data_q;

  wire push    = s_valid_i & s_ready_o;
  wire advance = m_ready_i | ~m_valid_o;
  wire park    = ~advance & (push | skid_valid_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_ready_o    <= 1'b0;
      m_valid_o    <= 1'b0;
      skid_valid_q <= 1'b0;
    end else begin
      s_ready_o    <= ~park;
      m_valid_o    <= push | skid_valid_q | ~advance;
      skid_valid_q <= park;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) m_data_o    <= skid_valid_q ? skid_data_q : s_data_i;
    if (push)    skid_data_q <= s_data_i;
  end

  `GW_ASSERT(ParkedOnlyWhileNotReady, !(skid_valid_q && s_ready_o))
  `GW_ASSERT(ParkedOnlyBehindOutput, !skid_valid_q || m_valid_o)
endmodule

`default_nettype wire
