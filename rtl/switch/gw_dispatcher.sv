// Dispatcher: says in which cycle which round of which frame goes into the processing elements, and when an
// iteration begins.
// A frame's first round waits for its sequence number's lock and for its iteration, and for nothing else; one
// round a cycle.
// Optimizer switch (IEICE'21) sections 5.2 and 5.3; contract in docs/devices/optimizer.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Frames are numbered in the order in which they came, modulo 128; no more than 64 are within. What it has to
// know of a frame (sequence number, how many values, iteration) is there from two cycles before the frame is
// gathered on, which is when the first registers here look; others look there.
module gw_dispatcher #(
  parameter bit Adam = 1'b0,
  parameter int Pes = 32,
  parameter int Interval = 1,    // cycles for which a round keeps the processing elements from the next one
  parameter int AdvanceCycles = 24,  // from where an iteration of Adam's begins to its first round
  parameter int DepthLog2 = 10,
  localparam int InfoBits = DepthLog2 + 38
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic                 gather_i,      // one more frame is in whole from the next cycle on
  // frames of which every round is dispatched, so far: the next one's number
  output logic [6:0]                dispatched_o,
  output logic [6:0]                done_o,        // frames of which every round is through, so far
  input  wire logic [InfoBits-1:0]  here_i,        // of the next frame: {sequence number, values, iteration}
  input  wire logic [InfoBits-1:0]  after_i,       // of the one after it
  input  wire logic [InfoBits-1:0]  second_i,      // of the one after that
  output logic                      pending_o,     // the next frame is in whole
  output logic                      dispatch_o,    // a round of it is dispatched
  output logic [DepthLog2-1:0]      sequence_o,
  output logic [5:0]                count_o,
  output logic [5:0]                round_o,       // of its frame
  output logic                      first_round_o,
  output logic                      last_round_o,
  output logic                      half_o,        // of 64 processing elements, the half that takes it
  input  wire logic                 hold_i,        // in this cycle no round is dispatched
  output logic                      locked_o,      // a frame of the same sequence number is not through
  input  wire logic                 frame_done_i,  // a frame's last round is through
  input  wire logic [DepthLog2-1:0] done_sequence_i,
  // the host has written a register since the last iteration began
  input  wire logic                 changed_i,
  output logic                      begins_o,      // an iteration begins
  output logic                      iterating_o,   // one has begun
  output logic [31:0]               iteration_o,   // the last one that has
  output logic [4:0]                advance_o,     // cycles until what an iteration needs is there
  // While no frame is within: as after reset; or as the host says.
  input  wire logic                 forget_i,
  input  wire logic                 restore_iteration_i,
  input  wire logic                 restore_iterating_i,
  input  wire logic [31:0]          restore_i
);
  localparam int Lanes     = Pes > 32 ? 32 : Pes;  // of a round
  localparam int LanesLog2 = $clog2(Lanes);

  // Whether an iteration is newer than another one; numbers wrap.
  function automatic logic newer(input [31:0] one, input [31:0] other);
    logic [31:0] ahead, behind_it;
    logic        unused;
    ahead     = one - other;
    behind_it = other - one;
    unused    = ^{ahead[30:0], behind_it[30:0]};
    newer     = behind_it[31] && !ahead[31];
  endfunction

  // The next frame, and the one after it.
  wire onward = dispatch_o && last_round_o;
  typedef struct packed {
    logic [DepthLog2-1:0] sequence_no;
    logic [5:0]           count;
    logic [31:0]          iteration;
  } info_t;
  info_t next_q, after_q;
  always_ff @(posedge clk_i) begin
    next_q  <= onward ? after_i : here_i;
    after_q <= onward ? second_i : after_i;
  end
  assign count_o    = next_q.count;
  assign sequence_o = next_q.sequence_no;

  // Whether the next frame is in whole, its lock is held, its iteration is newer than the last one that
  // began: in registers, too, and so worked out in the cycle before, for the frame that is next then; what
  // changes in that cycle counts.
  logic [6:0] gathered_q;  // frames that are in whole, so far
  wire [6:0] after_number  = dispatched_o + 7'd1;
  wire       pending_here  = gathered_q != dispatched_o;
  wire       pending_after = gathered_q != after_number;
  logic [(1 << DepthLog2)-1:0] lock_q;  // sequence numbers with a frame in the processing elements
  // the last one that was taken joins them a cycle later: no processing element is as quick
  logic                 taken_q;
  logic [DepthLog2-1:0] taken_sequence_q;
  wire locked_here  = (lock_q[sequence_o] && !(frame_done_i && done_sequence_i == sequence_o))
                      || (taken_q && taken_sequence_q == sequence_o);
  wire locked_after = (lock_q[after_q.sequence_no]
                       && !(frame_done_i && done_sequence_i == after_q.sequence_no))
                      || (taken_q && taken_sequence_q == after_q.sequence_no)
                      || (first_round_o && after_q.sequence_no == sequence_o);
  logic newer_q;
  wire newer_here  = !begins_o && (!iterating_o || newer(next_q.iteration, iteration_o));
  wire newer_after = begins_o ? newer(after_q.iteration, next_q.iteration)
                              : !iterating_o || newer(after_q.iteration, iteration_o);
  always_ff @(posedge clk_i) begin
    locked_o         <= onward ? locked_after : locked_here;
    newer_q          <= onward ? newer_after : newer_here;
    taken_sequence_q <= sequence_o;
  end

  // The round.
  wire  [1:0] half_busy;
  wire  [6:0] behind  = ({1'b0, round_o} + 7'd1) << LanesLog2;
  wire        drained = done_o == dispatched_o;
  wire        advance = Adam && pending_o && first_round_o && newer_q && drained;
  wire        in_time = Adam ? !newer_q && advance_o == 5'd0 : !newer_q || !changed_i || drained;
  assign half_o        = Pes == 64 && dispatched_o[0];
  assign first_round_o = round_o == 6'd0;
  assign last_round_o  = Pes == 64 || behind >= {1'b0, count_o};
  assign dispatch_o    = pending_o && !hold_i && !half_busy[half_o]
                         && (!first_round_o || (!locked_o && in_time));
  assign begins_o      = Adam ? advance : dispatch_o && first_round_o && newer_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      gathered_q   <= '0;
      pending_o    <= 1'b0;
      dispatched_o <= '0;
      done_o       <= '0;
      round_o      <= '0;
      iterating_o  <= 1'b0;
      advance_o    <= '0;
      taken_q      <= 1'b0;
      lock_q       <= '0;
    end else begin
      gathered_q <= gathered_q + {6'd0, gather_i};
      pending_o  <= gather_i || (onward ? pending_after : pending_here);
      if (dispatch_o) begin
        round_o      <= last_round_o ? 6'd0 : round_o + 6'd1;
        dispatched_o <= dispatched_o + {6'd0, last_round_o};
      end
      if (frame_done_i) lock_q[done_sequence_i] <= 1'b0;
      if (taken_q) lock_q[taken_sequence_q] <= 1'b1;
      taken_q <= dispatch_o && first_round_o;
      done_o <= done_o + {6'd0, frame_done_i};
      if (begins_o) iterating_o <= 1'b1;
      else if (forget_i) iterating_o <= 1'b0;
      else if (restore_iterating_i) iterating_o <= restore_i[0];
      if (advance) advance_o <= 5'(AdvanceCycles - 1);
      else if (advance_o != 5'd0) advance_o <= advance_o - 5'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (begins_o) iteration_o <= next_q.iteration;
    else if (restore_iteration_i) iteration_o <= restore_i;
  end

  // Processing elements that share operators take a round in `Interval` cycles.
  logic [9:0] wait0_q, wait1_q;
  assign half_busy = Interval > 1 ? {|wait1_q, |wait0_q} : 2'b00;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wait0_q <= '0;
      wait1_q <= '0;
    end else begin
      if (dispatch_o && !half_o) wait0_q <= 10'(Interval - 1);
      else if (wait0_q != '0) wait0_q <= wait0_q - 10'd1;
      if (dispatch_o && half_o) wait1_q <= 10'(Interval - 1);
      else if (wait1_q != '0) wait1_q <= wait1_q - 10'd1;
    end
  end

  wire unused_count = ^after_q.count;
endmodule

`default_nettype wire
