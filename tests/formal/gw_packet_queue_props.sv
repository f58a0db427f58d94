// What gw_packet_queue promises: frames leave whole and in order or not at all, nothing is written beyond its places, it never
// stops being ready, and what a reset left of a frame is no frame. Any one beat, chosen freely, is followed from its write to
// where it leaves, or until its frame is dropped.
`include "gw_assert.svh"
`default_nettype none

module gw_packet_queue_props #(
  parameter bit Rx = 1'b0,
  parameter int D = 2  // 2^D places
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       offered_i,
  input wire logic       taken_i,   // free: what is offered is taken (not in reset)
  input wire logic [1:0] data_i,
  input wire logic [5:0] bytes_i,
  input wire logic       last_i,
  input wire logic       bad_i,
  input wire logic       ready_i,
  input wire logic       follow_i   // free: from the next write on, follow that beat
);
  wire         s_valid = offered_i && taken_i && rst_ni;
  wire [31:0]  keep = last_i ? 32'hFFFF_FFFF >> bytes_i[4:0] : 32'hFFFF_FFFF;
  logic        valid, last, more, committed, dropped;
  logic [255:0] data;
  logic [31:0] m_keep;
  gw_packet_queue #(.Rx(Rx), .DepthLog2(D), .MaxBytes(96)) u_dut (
    .clk_i, .rst_ni, .offered_i, .s_valid_i(s_valid), .s_data_i({254'd0, data_i}), .s_keep_i(keep), .s_last_i(last_i),
    .s_bad_i(bad_i), .m_valid_o(valid), .m_ready_i(ready_i), .m_data_o(data), .m_keep_o(m_keep), .m_last_o(last),
    .more_o(more), .committed_o(committed), .dropped_o(dropped)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [D:0] write_q, begin_q, read_q;
  (* keep *) wire       spoilt_q, lost_q;
  (* keep *) wire [6:0] idle_q;
  (* keep *) wire [288:0] place0_q, place1_q, place2_q, place3_q;

  // The contract, in counts: beats of whole frames, beats and bytes of the frame that comes in.
  logic [D:0]  whole_q, frame_q;
  logic [7:0]  bytes_q;
  logic        spoilt_c_q, lost_c_q, committed_c_q, dropped_c_q, shown_q;
  logic [6:0]  idle_c_q;  // the port in the cycles before
  wire [5:0]   new_bytes = last_i ? 6'd32 - {1'b0, bytes_i[4:0]} : 6'd32;
  wire [7:0]   total   = bytes_q + {2'd0, new_bytes};
  wire [D:0]   used    = whole_q + frame_q;
  wire         spoilt  = spoilt_c_q || (Rx && lost_c_q) || used == 3'd4 || (Rx && total > 8'd96);
  wire         refused = spoilt || (Rx && (bad_i || total < 8'd60));
  wire         load    = (!shown_q || ready_i) && whole_q != 3'd0;
  wire         found   = !offered_i && (&idle_q);
  always_ff @(posedge clk_i) begin
    idle_c_q <= {idle_q[5:0], !offered_i};
    if (!rst_ni) begin
      whole_q       <= '0;
      frame_q       <= '0;
      bytes_q       <= '0;
      spoilt_c_q    <= 1'b0;
      lost_c_q      <= !found;
      committed_c_q <= 1'b0;
      dropped_c_q   <= 1'b0;
      shown_q       <= 1'b0;
    end else begin
      committed_c_q <= s_valid && last_i && !refused;
      dropped_c_q   <= s_valid && last_i && refused;
      if (!shown_q || ready_i) shown_q <= load;
      if (s_valid) begin
        spoilt_c_q <= spoilt && !last_i;
        bytes_q    <= last_i || spoilt ? 8'd0 : total;
        frame_q    <= last_i || spoilt ? '0 : frame_q + 3'd1;
      end
      whole_q  <= whole_q - {2'd0, load} + (s_valid && last_i && !refused ? frame_q + 3'd1 : 3'd0);
      lost_c_q <= lost_c_q && !found && !(s_valid && last_i);
    end
  end

  // The followed beat: still in a frame that comes in, whole, or in the output's register.
  logic       follows_q, inside_q, whole_follow_q;  // any; not yet loaded; its frame is whole
  logic [D:0] ahead_q;                              // beats that are loaded before it
  logic [1:0] word_q;
  logic       last_q;
  wire        write = s_valid && !spoilt && !(last_i && refused);
  wire        taken = follows_q && inside_q && whole_follow_q && load && ahead_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      follows_q <= 1'b0;
    end else if (!follows_q) begin
      follows_q      <= write && follow_i;
      inside_q       <= 1'b1;
      whole_follow_q <= last_i;
      ahead_q        <= used - {2'd0, load};
      word_q         <= data_i;
      last_q         <= last_i;
    end else begin
      if (inside_q) begin
        ahead_q <= ahead_q - {2'd0, load};
        if (taken) inside_q <= 1'b0;
        if (!whole_follow_q && s_valid && last_i && !refused) whole_follow_q <= 1'b1;
        if (!whole_follow_q && s_valid && (spoilt || (last_i && refused))) follows_q <= 1'b0;  // dropped
      end else if (valid && ready_i) begin
        follows_q <= 1'b0;
      end
    end
  end
  wire [1:0]   at     = read_q[1:0] + ahead_q[1:0];
  wire [288:0] stored = at[1] ? (at[0] ? place3_q : place2_q) : (at[0] ? place1_q : place0_q);

  // Rx: a frame cut by reset is dropped. Full with a whole frame; the followed beat leaves, not the first of its frame.
  logic cut_q;
  always_ff @(posedge clk_i) cut_q <= rst_ni && lost_c_q && s_valid && last_i;
  wire [1:0] covers = {Rx ? cut_q && dropped : whole_q == 3'd4, follows_q && !inside_q && valid && ready_i && last_q};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ShownByTheContract, valid == shown_q)
  `GW_ASSERT(MoreByTheContract, more == (whole_q != 3'd0))
  `GW_ASSERT(CommittedByTheContract, committed == committed_c_q)
  `GW_ASSERT(DroppedByTheContract, dropped == dropped_c_q)
  `GW_ASSERT(IdleIsTheHistory, idle_q == idle_c_q)
  `GW_ASSERT(SpoiltByTheContract, spoilt_q == spoilt_c_q)
  `GW_ASSERT(LostByTheContract, lost_q == (Rx && lost_c_q))
  `GW_ASSERT(WholeIsThePointers, whole_q == begin_q - read_q && frame_q == write_q - begin_q)
  `GW_ASSERT(NeverMoreThanPlaces, {1'b0, whole_q} + {1'b0, frame_q} <= 4'd4)
  `GW_ASSERT(SpoiltHoldsNothing, !spoilt_c_q || frame_q == '0)
  `GW_ASSERT(BytesAreTheBeats, bytes_q == {frame_q, 5'd0})
  `GW_ASSERT(FollowedIsInside, !(follows_q && inside_q) || ahead_q < (whole_follow_q ? whole_q : used))
  `GW_ASSERT(FollowedComesIn, !(follows_q && inside_q && !whole_follow_q) || (ahead_q >= whole_q && !last_q))
  `GW_ASSERT(FollowedIsStored, !(follows_q && inside_q) || (stored[1:0] == word_q && stored[288] == last_q))
  `GW_ASSERT(FollowedIsShown, !(follows_q && !inside_q) || (valid && data[1:0] == word_q && last == last_q))
endmodule

`default_nettype wire
