// What every device promises of its output as an AXI4-Stream: valid and payload hold while the sink waits, nothing is valid in reset,
// tkeep is contiguous and partial on a packet's last beat only, and what comes in as a packet leaves as one: no tlast leaves but for a
// packet that is in whole. Bounded liveness: while one is, tvalid is low for no more than `Silence` cycles running, whatever the sink
// does; and what is offered waits for no more than `Stall` cycles running in which the sink is ready.
// For the proofs of tests/formal/run.sh; instantiated beside a device by its properties.
`include "gw_assert.svh"
`default_nettype none

module gw_stream_rules #(
  parameter int Bits = 8,     // of the payload beside tkeep and tlast, those that are looked at
  parameter int Silence = 5,
  parameter int Stall = 0     // 0: not asked
) (
  input wire logic             clk_i,
  input wire logic             aresetn,
  input wire logic             s_stalls_i, // a beat is offered and not taken
  input wire logic             s_ends_i,   // a packet's tlast is taken
  input wire logic             m_valid_i,
  input wire logic             m_ready_i,
  input wire logic             m_last_i,
  input wire logic [31:0]      m_keep_i,
  input wire logic [Bits-1:0]  m_bits_i,
  output logic     [1:0]       covers_o    // a packet leaves whose last beat waited; two are within while one begins to leave
);
  wire rst_ni = 1'b1;  // GW_ASSERT's: these rules hold in reset, too, but for its first cycle, which run.sh leaves out
  logic                 in_reset_q, waits_q;
  logic [32+Bits:0]     shown_q;
  wire  [32+Bits:0]     shown = {m_last_i, m_keep_i, m_bits_i};
  wire                  m_ends = m_valid_i & m_ready_i & m_last_i;
  logic [5:0]           within_q, silence_q;  // packets that are in whole; cycles with one and without a beat
  logic [5:0]           stall_q;              // cycles for which a beat waits to be taken
  always_ff @(posedge clk_i) begin
    in_reset_q <= !aresetn;
    waits_q    <= aresetn && m_valid_i && !m_ready_i;
    shown_q    <= shown;
    if (!aresetn) begin
      within_q  <= '0;
      silence_q <= '0;
      stall_q   <= '0;
    end else begin
      within_q  <= within_q + {5'd0, s_ends_i} - {5'd0, m_ends};
      silence_q <= within_q == 6'd0 || m_valid_i ? 6'd0 : silence_q + 6'd1;
      stall_q   <= s_stalls_i ? stall_q + {5'd0, m_ready_i} : 6'd0;
    end
  end
  assign covers_o = {within_q == 6'd2 && m_valid_i, m_ends && waits_q};

  `GW_ASSERT(NothingInReset, !in_reset_q || !m_valid_i)
  `GW_ASSERT(ValidStaysUntilReady, in_reset_q || !waits_q || m_valid_i)
  `GW_ASSERT(PayloadStaysUntilReady, in_reset_q || !waits_q || shown == shown_q)
  `GW_ASSERT(KeepIsContiguous, in_reset_q || !m_valid_i || (m_keep_i[0] && (m_keep_i & (m_keep_i + 32'd1)) == 32'd0))
  `GW_ASSERT(PartialAtTheEndOnly, in_reset_q || !m_valid_i || m_last_i || (&m_keep_i))
  `GW_ASSERT(OneLastAPacket, in_reset_q || !m_valid_i || !m_last_i || within_q != 6'd0)
  `GW_ASSERT(NoLongSilence, in_reset_q || {26'd0, silence_q} <= Silence)
  `GW_ASSERT(IsTakenInTime, in_reset_q || Stall == 0 || {26'd0, stall_q} <= Stall)
endmodule

`default_nettype wire
