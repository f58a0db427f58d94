// Parameter Optimization: turns complete gradient sums into new parameters, in the frames as they pass. Here:
// who gets a place, and how the parts work together.
// Latency that of the rounds and of the array, see docs/devices/optimizer.md; one beat a cycle.
// Optimizer switch (IEICE'21) sections 3.4, 5.2 and 5.3, Figures 12 and 13.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// For frames after a parser; gw_optimizer has its own. s_axis_tready looks at the beat that is offered.
module gw_optimization #(
  parameter int Algorithm = 0,      // SGD, Adagrad, Adam, SMORMS3
  parameter int Pes = 32,           // 1, 2, 4 ... 64
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,  // eps is added after the root, not under it
  parameter int DepthLog2 = 10
) (
  input  wire logic           aclk,
  input  wire logic           aresetn,
  input  wire logic           cfg_valid_i,
  input  wire logic [31:0]    cfg_address_i,
  input  wire logic [31:0]    cfg_data_i,
  input  wire logic [255:0]   s_axis_tdata,
  input  wire logic [31:0]    s_axis_tkeep,
  input  wire logic           s_axis_tvalid,
  output logic                s_axis_tready,
  input  wire logic           s_axis_tlast,
  input  wire logic [191:0]   s_axis_tuser,
  // what gw_expether_pkg::selects says of it: a frame waits for nothing longer
  input  wire logic           s_selected_i,
  output logic [255:0]        m_axis_tdata,
  output logic [31:0]         m_axis_tkeep,
  output logic                m_axis_tvalid,
  input  wire logic           m_axis_tready,
  output logic                m_axis_tlast,
  output logic [191:0]        m_axis_tuser,
  output logic [4*32-1:0]     stat_o,
  // For a register block; the first two only while no frame is within.
  input  wire logic           job_reset_i,    // no iteration has begun
  input  wire logic           cfg_restore_i,  // with cfg_valid_i: a cell alone, or what the iteration uses
  input  wire logic           cfg_read_i,     // not with cfg_valid_i, and not again for two cycles
  output logic [31:0]         cfg_data_o      // three cycles later
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;
  localparam int Lanes    = Pes > 32 ? 32 : Pes;  // of a round
  localparam int States   = gw_optimizer_pkg::states(Algorithm);
  localparam int Interval = gw_optimizer_pkg::interval(Algorithm, Iterative ? 1 : 0, Fast ? 1 : 0,
                                                       EpsOutside ? 1 : 0);
  localparam int Width    = 32 * Lanes;
  localparam int RowBits  = Width * (1 + States);
  localparam bit Adam     = Algorithm == 2;
  localparam int AdvanceCycles = 24;  // from an iteration of Adam's to what its rounds need of it
  initial if (Pes < 1 || Pes > 64 || (Pes & (Pes - 1)) != 0)
    $fatal(1, "gw_optimization: Pes must be 1, 2, 4 ... 64");
  initial if (Algorithm < 0 || Algorithm > 3) $fatal(1, "gw_optimization: Algorithm must be 0 to 3");

  // 1. Issue. A selected frame gets one of 64 places, in turn, from its first beat in until its last beat is
  // out.
  wire [DepthLog2-1:0] sequence0 = s_axis_tuser[gw_expether_pkg::UserSequence +: DepthLog2];
  wire [5:0]  count0    = s_axis_tuser[gw_expether_pkg::UserCount +: 6];
  wire        complete0 = s_axis_tuser[gw_expether_pkg::UserKind +: 3] == gw_expether_pkg::KindGradient
                          && s_axis_tuser[gw_expether_pkg::UserComplete];
  wire        selected0 = s_selected_i;
  logic [2:0] index_q;  // of the beat offered in its frame; 6: any after the payload
  wire        first0   = index_q == 3'd0;
  wire [1:0]  row0     = index_q[1:0] - 2'd2;
  wire        payload0 = selected0 && index_q >= 3'd2 && index_q <= 3'd5 && {1'b0, row0, 3'd0} < count0;
  wire        final0   = payload0 && {1'b0, row0, 3'd0} + 6'd8 >= count0;

  logic [8:0] used_q;
  logic [6:0] issued_q, loaded_q;  // selected frames so far, modulo 128
  wire  [6:0] dispatched, done;
  logic [6:0] places_q;  // that are taken: frames issued and not loaded
  wire        no_place = places_q[6];
  assign s_axis_tready = !used_q[8] && !(first0 && selected0 && no_place);
  wire issue = s_axis_tvalid & s_axis_tready;
  wire [5:0] place0 = first0 ? issued_q[5:0] : issued_q[5:0] - 6'd1;
  wire load, load_last_selected;
  wire begin_selected = issue && first0 && selected0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q    <= '0;
      used_q     <= '0;
      places_q   <= '0;
      issued_q   <= '0;
      loaded_q   <= '0;
    end else begin
      if (issue) index_q <= s_axis_tlast ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
      // What decides is late: the sums do not wait for it.
      if (issue != load) used_q <= issue ? used_q + 9'd1 : used_q - 9'd1;
      if (begin_selected != load_last_selected) begin
        places_q <= begin_selected ? places_q + 7'd1 : places_q - 7'd1;
      end
      if (begin_selected)     issued_q   <= issued_q + 7'd1;
      if (load_last_selected) loaded_q   <= loaded_q + 7'd1;
    end
  end

  // What the dispatcher has to know of a frame. Written as soon as a beat is offered: until it is issued it
  // stays the same beat, and its place its own.
  typedef struct packed {
    logic [DepthLog2-1:0] sequence_no;
    logic [5:0]           count;
    logic [31:0]          iteration;
  } info_t;
  localparam int InfoBits = DepthLog2 + 6 + 32;
  (* ram_style = "distributed" *) logic [InfoBits-1:0] info_memory [0:63];
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && first0 && selected0 && !no_place) begin
      info_memory[place0] <= {sequence0, count0, s_axis_tuser[gw_expether_pkg::UserIteration +: 32]};
    end
  end

  // 2. The host's registers and rows.
  logic [RowBits-1:0] row1_q;
  logic [32*7-1:0]    host_q;
  logic               changed_q;
  wire                begins, cfg_state, cfg_alone, cfg_write, cfg_look, cfg_takes, iterating;
  wire  [Lanes-1:0]   cfg_lanes;
  wire  [Width-1:0]   cfg_row;
  wire  [63:0]        powers;
  wire  [31:0]        iteration;
  gw_optimization_host #(.Lanes(Lanes), .States(States)) u_host (
    .clk_i, .rst_ni, .cfg_valid_i, .cfg_address_i, .cfg_data_i, .cfg_restore_i, .cfg_read_i, .cfg_data_o,
    .begins_i    (begins),
    .host_q      (host_q),
    .changed_q   (changed_q),
    .state_o     (cfg_state),
    .alone_o     (cfg_alone),
    .write_o     (cfg_write),
    .look_o      (cfg_look),
    .takes_o     (cfg_takes),
    .lanes_o     (cfg_lanes),
    .row_o       (cfg_row),
    .row_i       (row1_q),
    .powers_i    (powers),
    .iterating_i (iterating),
    .iteration_i (iteration)
  );

  // 3. Dispatch: rounds of the frame that is next, in order. A frame's information lies in memory from two
  // cycles before it is gathered on.
  wire        pending, dispatch, first_round, last_round, half, locked;
  wire [5:0]  round;
  wire [4:0]  advance_left;      // cycles until the iteration's registers are there
  wire [5:0]  next_count;
  wire [DepthLog2-1:0] next_sequence;
  wire        round_done, frame_done;
  wire [5:0]  after_at  = dispatched[5:0] + 6'd1;
  wire [5:0]  second_at = dispatched[5:0] + 6'd2;
  wire [InfoBits-1:0] info_here   = info_memory[dispatched[5:0]];
  wire [InfoBits-1:0] info_after  = info_memory[after_at];
  wire [InfoBits-1:0] info_second = info_memory[second_at];
  wire [DepthLog2-1:0] tag_sequence;
  gw_dispatcher #(
    .Adam(Adam), .Pes(Pes), .Interval(Interval), .AdvanceCycles(AdvanceCycles), .DepthLog2(DepthLog2)
  ) u_dispatcher (
    .clk_i, .rst_ni,
    .gather_i            (issue && final0),
    .dispatched_o        (dispatched),
    .done_o              (done),
    .here_i              (info_here),
    .after_i             (info_after),
    .second_i            (info_second),
    .pending_o           (pending),
    .dispatch_o          (dispatch),
    .sequence_o          (next_sequence),
    .count_o             (next_count),
    .round_o             (round),
    .first_round_o       (first_round),
    .last_round_o        (last_round),
    .half_o              (half),
    .hold_i              (cfg_takes),
    .locked_o            (locked),
    .frame_done_i        (frame_done),
    .done_sequence_i     (tag_sequence),
    .changed_i           (changed_q),
    .begins_o            (begins),
    .iterating_o         (iterating),
    .iteration_o         (iteration),
    .advance_o           (advance_left),
    .forget_i            (job_reset_i),
    .restore_iteration_i (cfg_state && cfg_address_i[4:0] == 5'd16),
    .restore_iterating_i (cfg_state && cfg_address_i[4:0] == 5'd17),
    .restore_i           (cfg_data_i)
  );

  wire [31:0] correction1, correction2;
  gw_optimization_powers #(.Adam(Adam), .AdvanceCycles(AdvanceCycles), .Subnormal(Subnormal)) u_powers (
    .clk_i, .rst_ni, .job_reset_i,
    .advance_i     (advance_left),
    .beta1_i       (host_q[32*2 +: 32]),
    .beta2_i       (host_q[32*3 +: 32]),
    .cfg_state_i   (cfg_state),
    .cfg_address_i (cfg_address_i[4:0]),
    .cfg_data_i,
    .powers_o      (powers),
    .correction1_o (correction1),
    .correction2_o (correction2)
  );

  // 4. Operands: parameters and states of a row, gradients of the round, in registers for the array.
  wire  [5:0]       tag_here, tag_place, tag_round;
  wire              tag_last;
  wire  [Width-1:0] new_theta;
  wire  [3*Width-1:0] new_state;
  wire  [4*Width-1:0] row_new = {new_state, new_theta};
  gw_optimization_rows #(.Lanes(Lanes), .States(States), .DepthLog2(DepthLog2)) u_rows (
    .clk_i,
    .pending_i       (pending),
    .sequence_i      (next_sequence),
    .round_i         (round),
    .row_o           (row1_q),
    .cfg_takes_i     (cfg_takes),
    .cfg_look_i      (cfg_look),
    .cfg_write_i     (cfg_write),
    .cfg_alone_i     (cfg_alone),
    .cfg_address_i,
    .cfg_data_i,
    .cfg_row_i       (cfg_row),
    .cfg_lanes_i     (cfg_lanes),
    .done_i          (round_done),
    .done_sequence_i (tag_sequence),
    .done_round_i    (tag_round),
    .done_here_i     (tag_here),
    .done_row_i      (row_new[RowBits-1:0])
  );
  logic               dispatched1_q, dispatched2_q, half1_q, half2_q;
  logic [5:0]         round1_q;
  wire  [Width-1:0]   gradient1;
  logic [Width-1:0]   gradient2_q;
  logic [RowBits-1:0] row2_q;
  gw_optimization_gather #(.Lanes(Lanes)) u_gather (
    .clk_i,
    .write_i      (s_axis_tvalid && payload0),
    .place_i      (place0),
    .row_i        (row0),
    .data_i       (s_axis_tdata),
    .read_i       (pending),
    .read_place_i (dispatched[5:0]),
    .round_i      (round1_q),
    .gradient_o   (gradient1)
  );
  always_ff @(posedge clk_i) begin
    dispatched1_q <= dispatch && rst_ni;
    dispatched2_q <= dispatched1_q && rst_ni;
    half1_q       <= half;
    half2_q       <= half1_q;
    round1_q      <= round;
    if (dispatched1_q) begin
      gradient2_q <= gradient1;
      row2_q      <= row1_q;
    end
  end
  gw_optimization_tags #(.Lanes(Lanes), .DepthLog2(DepthLog2)) u_tags (
    .clk_i, .rst_ni,
    .sequence_i   (next_sequence),
    .count_i      (next_count),
    .place_i      (dispatched[5:0]),
    .last_i       (last_round),
    .dispatched_i (dispatched1_q),
    .round_i      (round1_q),
    .done_i       (round_done),
    .sequence_o   (tag_sequence),
    .here_o       (tag_here),
    .place_o      (tag_place),
    .round_o      (tag_round),
    .last_o       (tag_last)
  );

  // 5. The processing elements; with 64 of them, two halves that take frames in turn.
  localparam int Halves = Pes == 64 ? 2 : 1;
  wire [32*9-1:0]    registers = {correction2, correction1, host_q};
  wire [3*Width-1:0] state2;
  wire [1:0]         array_valid;
  wire [Width-1:0]   array_theta [0:1];
  wire [3*Width-1:0] array_state [0:1];
  if (States == 3) begin : gen_states
    assign state2 = row2_q[RowBits-1:Width];
  end else if (States > 0) begin : gen_states
    assign state2 = {{(3-States){{Width{1'b0}}}}, row2_q[RowBits-1:Width]};
  end else begin : gen_states
    assign state2 = '0;
  end
  for (genvar h = 0; h < 2; h++) begin : gen_half
    if (h < Halves) begin : gen_array
      gw_optimizer_array #(
        .Algorithm(Algorithm), .Lanes(Lanes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
        .EpsOutside(EpsOutside)
      ) u_array (
        .clk_i, .rst_ni, .registers_i(registers), .valid_i(dispatched2_q && {31'd0, half2_q} == h),
        .theta_i(row2_q[Width-1:0]), .gradient_i(gradient2_q), .state_i(state2),
        .valid_o(array_valid[h]), .theta_o(array_theta[h]), .state_o(array_state[h])
      );
    end else begin : gen_none
      assign array_valid[h] = 1'b0;
      assign array_theta[h] = '0;
      assign array_state[h] = '0;
    end
  end
  assign round_done = |array_valid;
  assign frame_done = round_done && tag_last;
  assign new_theta = array_valid[1] ? array_theta[1] : array_theta[0];
  assign new_state = array_valid[1] ? array_state[1] : array_state[0];

  // 6. Around the array: the frames in order, with what the array made of them.
  info_t loading;
  assign loading = info_memory[loaded_q[5:0]];
  gw_optimization_frames #(.Lanes(Lanes)) u_frames (
    .clk_i, .rst_ni,
    .issue_i      (issue),
    .first_i      (first0),
    .second_i     (index_q == 3'd1),
    .selected_i   (selected0),
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast, .s_axis_tuser,
    .load_o       (load),
    .load_last_o  (load_last_selected),
    .loaded_i     (loaded_q),
    .done_i       (done),
    .count_i      (loading.count),
    .round_done_i (round_done),
    .round_i      (tag_round),
    .place_i      (tag_place),
    .theta_i      (new_theta),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser
  );

  // Statistics: optimised, complete but out of range, iterations, interlock cycles.
  logic [31:0] optimised_q, out_of_range_q, iterations_q, interlock_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      optimised_q    <= '0;
      out_of_range_q <= '0;
      iterations_q   <= '0;
      interlock_q    <= '0;
    end else begin
      optimised_q    <= optimised_q + {31'd0, dispatch && first_round};
      out_of_range_q <= out_of_range_q + {31'd0, issue && first0 && complete0 && !selected0};
      iterations_q   <= iterations_q + {31'd0, begins};
      interlock_q    <= interlock_q + {31'd0, pending && first_round && locked};
    end
  end
  assign stat_o = {interlock_q, iterations_q, out_of_range_q, optimised_q};

  wire unused_bits = ^{row_new, dispatched[6], loading.sequence_no, loading.iteration};
  `GW_ASSERT(NeverMoreThanQueue, used_q <= 9'd256)
  `GW_ASSERT(PlacesAreTheFrames, places_q == issued_q - loaded_q)
  `GW_ASSERT(OneHalfAtATime, array_valid != 2'b11)
  `GW_ASSERT(RestoredWhileIdle, !(job_reset_i || (cfg_valid_i && cfg_restore_i)) || issued_q == loaded_q)
endmodule

`default_nettype wire
