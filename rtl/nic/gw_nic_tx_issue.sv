// Issue: takes the frames in their order, and says for the current one in each cycle which beats leave their
// queues and go out.
// Combinational; one beat a cycle, one frame a cycle.
// INCEPTIONN (MICRO'18) section VI-A: what was compressed and what passes leave by one port.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_issue (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        credit_i,
  input  wire logic        class_valid_i,    // of the current frame, as all of these
  input  wire logic [1:0]  class_i,
  input  wire logic        action_valid_i,
  input  wire logic [3:0]  action_i,
  input  wire logic        drop_i,
  input  wire logic        overlong_i,
  input  wire logic        verdict_valid_i,
  input  wire logic        packs_i,
  input  wire logic [8:0]  last_beat_i,      // if it packs
  input  wire logic [2:0]  header_beats_i,
  input  wire logic [2:0]  stream_beat_i,
  input  wire logic        original_valid_i,
  input  wire logic        original_last_i,
  output logic             original_pop_o,
  input  wire logic        stream_valid_i,
  input  wire logic        stream_last_i,
  output logic             stream_pop_o,
  output logic             issue_o,
  output logic             packed_o,         // the beat is a packed frame's
  output logic [2:0]       beat_o,           // which one, 7 for all from there on
  output logic             last_o,
  output logic             finish_o,
  output logic [3:0]       action_o          // what became of it
);
  wire candidate = class_i == gw_nic_tx_pkg::ClassCandidate;
  wire bypass    = class_i == gw_nic_tx_pkg::ClassBypass;
  wire verdict   = class_valid_i & action_valid_i & (verdict_valid_i | ~candidate);
  wire drops     = verdict & drop_i;
  wire packs     = verdict & candidate & packs_i & action_i == gw_nic_tx_pkg::ActionStored;
  wire passes    = class_valid_i & (bypass | overlong_i | (verdict & ~drop_i & ~packs));

  // What has left of the current frame.
  logic       original_gone_q, stream_gone_q, issued_q;
  logic [8:0] beat_q;
  wire in_header = beat_q < {6'd0, header_beats_i};
  wire at_stream = beat_q >= {6'd0, stream_beat_i};
  wire last_issue = beat_q == last_beat_i;
  wire packed_issue = packs & credit_i & ~issued_q;
  assign original_pop_o = original_valid_i & ~original_gone_q
                          & ((passes & credit_i) | drops | (packs & (credit_i | ~in_header)));
  assign stream_pop_o   = stream_valid_i & ~stream_gone_q & verdict & candidate
                          & (~packs | (packed_issue & at_stream));
  assign issue_o  = packed_issue | (passes & original_pop_o);
  assign packed_o = packs;
  assign beat_o   = beat_q[2:0] | {3{beat_q[8:3] != 6'd0}};
  assign last_o   = packs ? last_issue : original_last_i;
  assign action_o = packs ? gw_nic_tx_pkg::ActionPacked : action_i;

  wire original_gone = original_gone_q | (original_pop_o & original_last_i);
  wire stream_gone   = stream_gone_q | (stream_pop_o & stream_last_i);
  wire issued        = issued_q | (packed_issue & last_issue);
  assign finish_o = verdict & original_gone & (stream_gone | ~candidate) & (issued | ~packs);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      original_gone_q <= 1'b0;
      stream_gone_q   <= 1'b0;
      issued_q        <= 1'b0;
      beat_q          <= '0;
    end else begin
      original_gone_q <= original_gone & ~finish_o;
      stream_gone_q   <= stream_gone & ~finish_o;
      issued_q        <= issued & ~finish_o;
      if (finish_o) beat_q <= '0;
      else if (packed_issue) beat_q <= beat_q + 9'd1;
    end
  end

  `GW_ASSERT(HeadersAreThere, !(packed_issue && in_header) || original_valid_i)
  `GW_ASSERT(DropsOnlyWhatIsWhole, !drops || original_valid_i || original_gone_q)
  `GW_ASSERT(StreamIsThere, !(verdict && candidate) || stream_valid_i || stream_gone_q)
endmodule

`default_nettype wire
