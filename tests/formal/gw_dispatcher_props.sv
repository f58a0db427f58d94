// What gw_dispatcher promises, for any frames gathered at any time: a lock is held from a frame's first round on until the frame is
// done, and no longer; and bounded liveness: the next frame's next round waits for no more than `Longest` cycles in which the host
// leaves it the memory, the first one of an iteration of Adam's for `Advance` more. The processing elements are done with a frame at
// any time, in order, from 3 to `Longest` cycles behind its last round.
`include "gw_assert.svh"
`default_nettype none

module gw_dispatcher_props #(
  parameter bit Adam = 1'b0,
  parameter int Pes = 16,
  parameter int Interval = 1,
  parameter int Longest = 196,  // two more than the latency of the slowest array
  parameter int Advance = 24,
  parameter int D = 2           // DepthLog2: 2^D sequence numbers, and as many frames under way
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic         announce_i,   // free: a frame's first beat comes in
  input wire logic [D-1:0] sequence_i,
  input wire logic [4:0]   count_i,      // less one
  input wire logic [31:0]  iteration_i,
  input wire logic         gather_i,     // free: a frame's last beat with values comes in
  input wire logic         finish_i,     // free: a frame is done
  input wire logic         hold_i,
  input wire logic         changed_i,
  input wire logic         forget_i,
  input wire logic         restore_iteration_i,
  input wire logic         restore_iterating_i,
  input wire logic [31:0]  restore_i
);
  localparam int InfoBits = D + 38;
  wire [6:0]   dispatched, done;
  wire         pending, dispatch, first_round, last_round, half, locked, begins, iterating, frame_done;
  wire [D-1:0] sequence_no, done_sequence;
  wire [5:0]   count, round;
  wire [31:0]  iteration;
  wire [4:0]   advance;

  // Frames: announced, with what they are; gathered two cycles later or still later. Four places; a place is free once its frame is
  // dispatched.
  logic [6:0] announced_q, announced1_q, announced2_q, gathered_q;
  logic [InfoBits-2:0] info_q [0:3];  // one value less than they have, so that they have 1 to 32
  wire  [1:0] here_at   = dispatched[1:0];
  wire  [1:0] after_at  = dispatched[1:0] + 2'd1;
  wire  [1:0] second_at = dispatched[1:0] + 2'd2;
  wire  [6:0] waiting   = announced_q - dispatched;
  wire        announces = announce_i && waiting < 7'd4;
  wire        idle      = announced_q == done;
  wire        gathers   = gather_i && gathered_q != announced1_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      announced_q  <= '0;
      announced1_q <= '0;
      announced2_q <= '0;
      gathered_q   <= '0;
    end else begin
      announced_q  <= announced_q + {6'd0, announces};
      announced1_q <= announced_q;
      announced2_q <= announced1_q;
      gathered_q   <= gathered_q + {6'd0, gathers};
    end
    if (announces) info_q[announced_q[1:0]] <= {sequence_i, count_i, iteration_i};
  end
  wire [InfoBits-2:0] said_here = info_q[here_at];
  wire [InfoBits-2:0] said_after = info_q[after_at];
  wire [InfoBits-2:0] said_second = info_q[second_at];
  wire [InfoBits-1:0] here   = {said_here[37 +: D], {1'b0, said_here[36:32]} + 6'd1, said_here[31:0]};
  wire [InfoBits-1:0] after  = {said_after[37 +: D], {1'b0, said_after[36:32]} + 6'd1, said_after[31:0]};
  wire [InfoBits-1:0] second = {said_second[37 +: D], {1'b0, said_second[36:32]} + 6'd1, said_second[31:0]};

  gw_dispatcher #(.Adam(Adam), .Pes(Pes), .Interval(Interval), .AdvanceCycles(Advance), .DepthLog2(D)) u_dut (
    .clk_i, .rst_ni, .gather_i(gathers), .dispatched_o(dispatched), .done_o(done),
    .here_i(here), .after_i(after), .second_i(second),
    .pending_o(pending), .dispatch_o(dispatch), .sequence_o(sequence_no), .count_o(count), .round_o(round),
    .first_round_o(first_round), .last_round_o(last_round), .half_o(half), .hold_i, .locked_o(locked),
    .frame_done_i(frame_done), .done_sequence_i(done_sequence),
    .changed_i, .begins_o(begins), .iterating_o(iterating), .iteration_o(iteration), .advance_o(advance),
    .forget_i(forget_i && idle), .restore_iteration_i(restore_iteration_i && idle), .restore_iterating_i(restore_iterating_i && idle),
    .restore_i
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [(1<<D)-1:0] lock_q;
  (* keep *) wire              newer_q, taken_q;
  (* keep *) wire [D-1:0]      taken_sequence_q;
  (* keep *) wire [InfoBits-1:0] next_q, after_q;
  (* keep *) wire [9:0]          wait0_q, wait1_q;
  (* keep *) wire [6:0]          dut_gathered_q;

  // Frames whose every round is dispatched, the oldest first: each has a lock of its own, so there are no more than locks.
  localparam int F = 1 << D;
  logic [D-1:0] flying_q [0:F-1];  // sequence number
  logic [7:0]   age_q    [0:F-1];  // cycles since the last round
  logic [D:0]   flying_count_q;
  wire          some  = flying_count_q != '0;
  wire          lands = some && age_q[0] >= 8'd3 && (finish_i || age_q[0] >= Longest);
  wire          flies = dispatch && last_round;
  assign frame_done    = lands;
  assign done_sequence = flying_q[0];
  wire [D:0]    goes_to = flying_count_q - {{D{1'b0}}, lands};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flying_count_q <= '0;
    else flying_count_q <= goes_to + {{D{1'b0}}, flies};
    for (int i = 0; i < F; i++) begin
      if (flies && {{(31-D){1'b0}}, goes_to} == i) begin
        flying_q[i] <= sequence_no;
        age_q[i]    <= 8'd1;
      end else begin
        flying_q[i] <= flying_q[lands && i + 1 < F ? i + 1 : i];
        age_q[i]    <= age_q[lands && i + 1 < F ? i + 1 : i] + 8'd1;
      end
    end
  end

  // Cycles for which a round waits, those aside in which the host keeps it waiting.
  logic [8:0] waits_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !pending || dispatch) waits_q <= '0;
    else waits_q <= waits_q + {8'd0, !hold_i};
  end
  localparam int Most = Adam ? Longest + Advance : Longest > Interval ? Longest : Interval;

  // What holds of locks.
  wire [F-1:0] flies_with [0:F];  // by places from the first one on
  wire [F-1:0] ordered;
  assign flies_with[0] = '0;
  for (genvar i = 0; i < F; i++) begin : gen_flying
    wire flies_here = {{(31-D){1'b0}}, flying_count_q} > i;
    assign flies_with[i+1] = flies_with[i] | ({{(F-1){1'b0}}, flies_here} << flying_q[i]);
    // No lock is taken twice; the older, the longer ago.
    assign ordered[i] = !flies_here || (!flies_with[i][flying_q[i]] && age_q[i] <= Longest && age_q[i] != 8'd0
                                  && (i == 0 || age_q[i] < age_q[i == 0 ? 0 : i-1]));
  end
  wire [D-1:0] next_sequence = here[38 +: D];
  wire [F-1:0] begun = {{(F-1){1'b0}}, !first_round} << next_sequence;  // its rounds are not all dispatched
  wire [F-1:0] held  = lock_q | ({{(F-1){1'b0}}, taken_q} << taken_sequence_q);
  wire [D-1:0] last_flying = flying_q[flying_count_q[D-1:0] - {{(D-1){1'b0}}, 1'b1}];
  wire [7:0]   youngest    = age_q[flying_count_q[D-1:0] - {{(D-1){1'b0}}, 1'b1}];
  // The frame that is next is known, and what is known of it.
  wire [6:0] known1 = announced1_q - dispatched;
  wire [6:0] known2 = announced2_q - dispatched;
  wire [6:0] whole  = gathered_q - dispatched;
  wire here_known   = known1 != 7'd0;
  wire here_judged  = known2 != 7'd0;
  wire after_known  = known1 > 7'd1;
  wire [31:0] next_ahead = here[31:0] - iteration;
  wire        is_newer   = !iterating || (next_ahead != 32'd0 && !next_ahead[31]);

  wire [31:0] rounds_before = {26'd0, round} * (Pes > 32 ? 32 : Pes);  // values of them

  // A frame waits for its lock; a new iteration waits; a frame waits for as long as it may.
  wire [2:0] covers = {Adam ? {4'd0, advance} == 9'd1 : pending && changed_i && first_round && newer_q && !locked && !dispatch,
                       waits_q > 9'd2 && dispatch, pending && first_round && locked};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  // Frames that are in order.
  `GW_ASSERT(PlacesAreEnough, waiting <= 7'd4 && known1 <= waiting && known2 <= known1 && whole <= known2)
  `GW_ASSERT(RoundsOfWholeFrames, first_round || (pending && rounds_before < 32'd32))
  `GW_ASSERT(PendingIsWhole, pending == (whole != 7'd0) && dut_gathered_q == gathered_q)
  `GW_ASSERT(DoneAreTheLanded, dispatched - done == {{(6-D){1'b0}}, flying_count_q})
  `GW_ASSERT(FliesInOrder, (&ordered) && {{(31-D){1'b0}}, flying_count_q} <= F && (flies_with[F] & begun) == '0)
  `GW_ASSERT(NextIsTheFrame, !here_known || next_q == here)
  `GW_ASSERT(AfterIsTheFrame, !after_known || after_q == after)
  // Locks: held exactly by frames in the processing elements. So they are free with the last round of a frame done.
  `GW_ASSERT(LocksAreTheFrames, held == (flies_with[F] | begun))
  `GW_ASSERT(TakenIsTheLast, !taken_q || (!lock_q[taken_sequence_q] && (!first_round || (some && youngest == 8'd1))
                                          && taken_sequence_q == (first_round ? last_flying : next_sequence)))
  `GW_ASSERT(LockedIsTheFrames, !here_judged || !first_round || locked == held[next_sequence])
  `GW_ASSERT(NoneIsTakenTwice, !(dispatch && first_round && held[next_sequence]))
  // Iterations.
  `GW_ASSERT(NewerIsTheFrames, !here_judged || !first_round || newer_q == is_newer)
  `GW_ASSERT(BeginsOnce, !(begins && !(pending && first_round && is_newer)))
  `GW_ASSERT(UsesItsIteration, !(Adam && (dispatch || !first_round)) || !is_newer)
  // Waits.
  `GW_ASSERT(NoLongerThanItFlies, !some || waits_q < {1'b0, youngest})
  `GW_ASSERT(NoLongerThanAnInterval, (wait0_q == '0 || {22'd0, wait0_q} + {23'd0, waits_q} < Interval)
                                     && (wait1_q == '0 || {22'd0, wait1_q} + {23'd0, waits_q} < Interval))
  `GW_ASSERT(NoLongerThanItAdvances, advance == 5'd0 || {27'd0, advance} + {23'd0, waits_q} <= Most)
  `GW_ASSERT(NewOnesWaitForTheOld, !(pending && first_round && is_newer) || {23'd0, waits_q} <= Longest)
  `GW_ASSERT(DispatchedInTime, {23'd0, waits_q} <= Most)
endmodule

`default_nettype wire
