// What gw_ring_numbers promises for any acks and time-outs: acked <= next <= top, of which acked and top never fall, and a base that never
// falls and holds the chunk that is being sent. Up to 1,024 chunks are sent and not acknowledged, as the window has it.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_ring_numbers_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        send_i,       // free, as all below
  input wire logic        sent_i,
  input wire logic        ack_valid_i,
  input wire logic [31:0] ack_i,
  input wire logic        expired_i
);
  localparam logic [31:0] Window = 32'd1024;
  wire [31:0] next, top, base;
  wire        again, unacked, progress, beyond;
  (* keep *) wire [31:0] acked_q;  // connected by run.sh once the hierarchy is flat
  logic        sending_q;
  logic [31:0] chunk_q;
  wire         send = send_i && !sending_q && next - acked_q != Window;
  wire         back = expired_i && unacked && !progress;
  gw_ring_numbers #(.First(32'hFFFF_FFF0)) u_dut (
    .clk_i, .rst_ni, .send_i(send), .sending_i(sending_q), .sending_chunk_i(chunk_q), .ack_valid_i, .ack_i, .back_i(back),
    .next_o(next), .top_o(top), .again_o(again), .unacked_o(unacked), .progress_o(progress), .beyond_o(beyond), .base_o(base)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sending_q <= 1'b0;
    else sending_q <= send | (sending_q & ~sent_i);
    if (send) chunk_q <= next;
  end

  logic [31:0] top1_q, acked1_q, base1_q;
  logic        since_q;  // they are of the cycle before, out of reset
  always_ff @(posedge clk_i) begin
    since_q  <= rst_ni;
    top1_q   <= top;
    acked1_q <= acked_q;
    base1_q  <= base;
  end

  wire [31:0] open = top - acked_q;
  wire [1:0]  covers = {sending_q && base != acked_q && again, beyond && ack_i != top + 32'd1};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(WithinTheWindow, open <= Window && next - acked_q <= open)
  `GW_ASSERT(AckedRises, !since_q || acked_q - acked1_q <= Window)
  `GW_ASSERT(TopRises, !since_q || top - top1_q <= 32'd1)
  `GW_ASSERT(BaseRises, !since_q || base - base1_q <= Window)
  `GW_ASSERT(BaseHoldsWhatIsSent, acked_q - base <= Window && (!sending_q || chunk_q - base <= Window))
  // What was said of the cycle before, and of the chunk being sent, so that the above holds by induction.
  `GW_ASSERT(SendingIsSent, !sending_q || top - chunk_q - 32'd1 < Window)
  `GW_ASSERT(BeforeIsBefore, !since_q || (top1_q - acked1_q <= Window && acked1_q - base1_q <= Window))
endmodule

`default_nettype wire
