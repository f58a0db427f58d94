// Parameter Optimization: turns complete gradient sums into new parameters, in the frames as they pass.
// Latency that of the rounds and of the array, see docs/devices/optimizer.md; one beat a cycle.
// Optimizer switch (IEICE'21) sections 3.4, 5.2 and 5.3, Figures 12 and 13.
`include "gw_assert.svh"
`default_nettype none

// For frames behind a parser; gw_optimizer has its own. s_axis_tready looks at the beat that is offered.
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
  input  wire logic           s_selected_i,   // what gw_expether_pkg::selects says of it: a frame waits for nothing longer
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
  localparam int Lanes     = Pes > 32 ? 32 : Pes;  // of a round
  localparam int LanesLog2 = $clog2(Lanes);
  localparam int Rounds    = 32 / Lanes;           // of a full frame
  localparam int RoundBits = Rounds > 1 ? $clog2(Rounds) : 1;
  localparam int States    = gw_optimizer_pkg::states(Algorithm);
  localparam int Interval  = gw_optimizer_pkg::interval(Algorithm, Iterative ? 1 : 0, Fast ? 1 : 0, EpsOutside ? 1 : 0);
  localparam int Width     = 32 * Lanes;
  localparam int RowBits   = Width * (1 + States);
  localparam int RowsLog2  = DepthLog2 + 5 - LanesLog2;
  localparam bit Adam      = Algorithm == 2;
  localparam int AdvanceCycles = 24;  // from an iteration of Adam's to what its rounds need of it
  initial if (Pes < 1 || Pes > 64 || (Pes & (Pes - 1)) != 0) $fatal(1, "gw_optimization: Pes must be 1, 2, 4 ... 64");
  initial if (Algorithm < 0 || Algorithm > 3) $fatal(1, "gw_optimization: Algorithm must be 0 to 3");

  // 1. Issue. A selected frame gets one of 64 places, in turn, from its first beat in until its last beat is out.
  wire [DepthLog2-1:0] sequence0 = s_axis_tuser[gw_expether_pkg::UserSequence +: DepthLog2];
  wire [5:0]  count0    = s_axis_tuser[gw_expether_pkg::UserCount +: 6];
  wire        complete0 = s_axis_tuser[gw_expether_pkg::UserKind +: 3] == gw_expether_pkg::KindGradient
                          && s_axis_tuser[gw_expether_pkg::UserComplete];
  wire        selected0 = s_selected_i;
  logic [2:0] index_q;  // of the beat offered in its frame; 6: any behind the payload
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
      if (begin_selected != load_last_selected) places_q <= begin_selected ? places_q + 7'd1 : places_q - 7'd1;
      if (begin_selected)     issued_q   <= issued_q + 7'd1;
      if (load_last_selected) loaded_q   <= loaded_q + 7'd1;
    end
  end

  // What the dispatcher has to know of a frame, and its gradients, a bank for each payload beat. Written as soon as a beat is offered:
  // until it is issued it stays the same beat, and its place its own.
  localparam int InfoBits = DepthLog2 + 6 + 32;
  (* ram_style = "distributed" *) logic [InfoBits-1:0] info_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather0_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather1_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather2_memory [0:63];
  (* ram_style = "distributed" *) logic [255:0] gather3_memory [0:63];
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && first0 && selected0 && !no_place) begin
      info_memory[place0] <= {sequence0, count0, s_axis_tuser[gw_expether_pkg::UserIteration +: 32]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && payload0 && row0 == 2'd0) gather0_memory[place0] <= s_axis_tdata;
    if (s_axis_tvalid && payload0 && row0 == 2'd1) gather1_memory[place0] <= s_axis_tdata;
    if (s_axis_tvalid && payload0 && row0 == 2'd2) gather2_memory[place0] <= s_axis_tdata;
    if (s_axis_tvalid && payload0 && row0 == 2'd3) gather3_memory[place0] <= s_axis_tdata;
  end

  // 2. The host's writes: registers, and rows of cells that are put together word by word.
  // Registers count from the next iteration on: none changes while a frame that uses it is under way.
  logic [32*7-1:0] shadow_q, host_q;
  logic            changed_q;  // one was written since the last iteration began
  wire             begins;
  logic [Width-1:0] cfg_row_q;
  wire  [Width+31:0] cfg_shift = {cfg_data_i, cfg_row_q};
  wire  cfg_cell  = cfg_valid_i && cfg_address_i[31] && !cfg_restore_i;
  wire  cfg_alone = cfg_valid_i && cfg_address_i[31] && cfg_restore_i;
  wire  cfg_state = cfg_valid_i && !cfg_address_i[31] && cfg_restore_i;
  wire  cfg_hyper = cfg_valid_i && !cfg_address_i[31] && !cfg_restore_i;
  wire  cfg_look  = cfg_read_i && cfg_address_i[31];
  wire  [4:0] cfg_lane = cfg_address_i[4:0] & 5'(Lanes - 1);
  wire  cfg_row   = cfg_cell && cfg_lane == 5'(Lanes - 1);
  wire  cfg_write = cfg_row || cfg_alone;
  wire  cfg_takes = cfg_write || cfg_look;  // the port that the dispatcher reads rows by
  always_ff @(posedge clk_i) begin
    for (int r = 0; r < 7; r++) begin
      if (cfg_hyper && cfg_address_i[3:0] == r[3:0]) shadow_q[32*r +: 32] <= cfg_data_i;
    end
    if (begins) host_q <= shadow_q;
    for (int r = 0; r < 7; r++) begin
      if (cfg_state && cfg_address_i[4:0] == 5'd8 + r[4:0]) host_q[32*r +: 32] <= cfg_data_i;
    end
    changed_q <= rst_ni && ((changed_q && !begins) || cfg_hyper);
    if (cfg_cell) cfg_row_q <= cfg_shift[Width+31:32];
  end

  // 3. Dispatch: rounds of the frame that is next, in order. A frame's information lies in memory from two cycles before it is
  // gathered on.
  wire        pending, dispatch, first_round, last_round, half, locked, iterating;
  wire [5:0]  round;
  wire [31:0] iteration;
  wire [4:0]  advance_left;      // cycles until the iteration's registers are there
  wire [5:0]  next_count;
  wire [DepthLog2-1:0] next_sequence;
  wire        round_done, frame_done;
  wire [5:0]  after_at  = dispatched[5:0] + 6'd1;
  wire [5:0]  second_at = dispatched[5:0] + 6'd2;
  wire [InfoBits-1:0] info_here   = info_memory[dispatched[5:0]];
  wire [InfoBits-1:0] info_after  = info_memory[after_at];
  wire [InfoBits-1:0] info_second = info_memory[second_at];

  // What the round was that the array is through with; `here` of its lanes carry values.
  localparam int TagBits = DepthLog2 + 6 + 6 + 6 + 1;
  logic [TagBits-1:0] tag_q;
  wire                 tag_last     = tag_q[0];
  wire [5:0]           tag_round    = tag_q[6:1];
  wire [5:0]           tag_place    = tag_q[12:7];
  wire [5:0]           tag_here     = tag_q[18:13];
  wire [DepthLog2-1:0] tag_sequence = tag_q[19 +: DepthLog2];
  gw_dispatcher #(
    .Adam(Adam), .Pes(Pes), .Interval(Interval), .AdvanceCycles(AdvanceCycles), .DepthLog2(DepthLog2)
  ) u_dispatcher (
    .clk_i, .rst_ni,
    .gather_i(issue && final0), .dispatched_o(dispatched), .done_o(done),
    .here_i(info_here), .after_i(info_after), .second_i(info_second),
    .pending_o(pending), .dispatch_o(dispatch), .sequence_o(next_sequence), .count_o(next_count), .round_o(round),
    .first_round_o(first_round), .last_round_o(last_round), .half_o(half), .hold_i(cfg_takes), .locked_o(locked),
    .frame_done_i(frame_done), .done_sequence_i(tag_sequence),
    .changed_i(changed_q), .begins_o(begins), .iterating_o(iterating), .iteration_o(iteration), .advance_o(advance_left),
    .forget_i(job_reset_i), .restore_iteration_i(cfg_state && cfg_address_i[4:0] == 5'd16),
    .restore_iterating_i(cfg_state && cfg_address_i[4:0] == 5'd17), .restore_i(cfg_data_i)
  );

  // Adam's powers of beta: with an iteration's betas come, ten cycles later, its powers, and after another twelve its
  // corrections.
  wire [31:0] correction1, correction2;
  wire [63:0] powers;
  if (Adam) begin : gen_adam
    logic [31:0] power1_q, power2_q;
    wire  [31:0] next1, next2;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || job_reset_i) begin
        power1_q <= 32'h3F80_0000;
        power2_q <= 32'h3F80_0000;
      end else if (advance_left == 5'(AdvanceCycles - 10)) begin  // the iteration's betas have come through the multipliers
        power1_q <= next1;
        power2_q <= next2;
      end else if (cfg_state) begin
        if (cfg_address_i[4:0] == 5'd18) power1_q <= cfg_data_i;
        if (cfg_address_i[4:0] == 5'd19) power2_q <= cfg_data_i;
      end
    end
    assign powers = {power2_q, power1_q};
    gw_fp_mul #(.Latency(9), .Subnormal(Subnormal)) u_power1 (
      .clk_i, .enable_i({9{1'b1}}), .a_i(power1_q), .b_i(host_q[32*2 +: 32]), .result_o(next1)
    );
    gw_fp_mul #(.Latency(9), .Subnormal(Subnormal)) u_power2 (
      .clk_i, .enable_i({9{1'b1}}), .a_i(power2_q), .b_i(host_q[32*3 +: 32]), .result_o(next2)
    );
    gw_fp_add #(.Latency(12), .Subnormal(Subnormal)) u_correction1 (
      .clk_i, .enable_i({12{1'b1}}), .subtract_i(1'b1), .a_i(32'h3F80_0000), .b_i(power1_q), .result_o(correction1)
    );
    gw_fp_add #(.Latency(12), .Subnormal(Subnormal)) u_correction2 (
      .clk_i, .enable_i({12{1'b1}}), .subtract_i(1'b1), .a_i(32'h3F80_0000), .b_i(power2_q), .result_o(correction2)
    );
  end else begin : gen_no_adam
    assign correction1 = '0;
    assign correction2 = '0;
    assign powers      = '0;
  end

  // 4. Operands: parameters and states of a row, gradients of the round, in registers for the array.
  (* ram_style = "block" *) logic [RowBits-1:0] row_memory [0:(1 << RowsLog2)-1];
  logic [RowBits-1:0] row1_q;
  logic [255:0] gather0_q, gather1_q, gather2_q, gather3_q;
  wire  [RowsLog2-1:0] row_at;  // of the port that the dispatcher reads by and, in other cycles, the host reads and writes by
  wire  [RowsLog2-1:0] row_write_at;
  wire  [(1+States)*Lanes-1:0] row_write, host_write;
  wire  [4*Width-1:0]  row_new;
  if (Rounds > 1) begin : gen_row_at
    assign row_at = cfg_takes ? cfg_address_i[LanesLog2 +: RowsLog2] : {next_sequence, round[RoundBits-1:0]};
  end else begin : gen_row_at
    assign row_at = cfg_takes ? cfg_address_i[LanesLog2 +: RowsLog2] : next_sequence;
  end
  wire same_row = cfg_address_i[LanesLog2 +: RowsLog2] == row_write_at;  // as the host writes
  always_ff @(posedge clk_i) begin
    // Not `dispatch`, which is late: nobody looks until a round was dispatched.
    if (pending || cfg_look) row1_q <= row_memory[row_at];
    if (cfg_write) begin  // here and below: once, though each lane's bit says it, too, for a simulator asks in every cycle
      for (int b = 0; b <= States; b++) begin
        for (int i = 0; i < Lanes; i++) begin
          if (host_write[Lanes*b + i]) row_memory[row_at][Width*b + 32*i +: 32] <= cfg_alone ? cfg_data_i : cfg_shift[32*i + 32 +: 32];
        end
      end
    end
    if (round_done) begin
      for (int b = 0; b <= States; b++) begin
        for (int i = 0; i < Lanes; i++) begin
          if (row_write[Lanes*b + i]) row_memory[row_write_at][Width*b + 32*i +: 32] <= row_new[Width*b + 32*i +: 32];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (pending) begin
      gather0_q <= gather0_memory[dispatched[5:0]];
      gather1_q <= gather1_memory[dispatched[5:0]];
      gather2_q <= gather2_memory[dispatched[5:0]];
      gather3_q <= gather3_memory[dispatched[5:0]];
    end
  end
  logic               dispatched1_q, dispatched2_q, half1_q, half2_q;
  logic [5:0]         round1_q;
  wire  [1023:0]      gathered1 = {gather3_q, gather2_q, gather1_q, gather0_q};
  wire  [Width-1:0]   gradient1;
  logic [Width-1:0]   gradient2_q;
  logic [RowBits-1:0] row2_q;
  if (Rounds > 1) begin : gen_select
    wire [1023:0] shifted = gathered1 >> {round1_q[4:0], {LanesLog2{1'b0}}, 5'd0};
    wire unused_shifted = ^{round1_q[5], shifted[1023:Width]};
    assign gradient1 = shifted[Width-1:0];
  end else begin : gen_select
    wire unused_round = ^round1_q;
    assign gradient1 = gathered1;
  end
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

  // Rounds in the array, in order: written one cycle later, and read one cycle before they can be through.
  logic [DepthLog2-1:0] sequence1_q;
  logic [5:0] count1_q, place1_q;
  logic       last1_q;
  wire  [6:0] earlier1 = {1'b0, round1_q} << LanesLog2;  // values of the frame in rounds before
  wire  [6:0] left1    = {1'b0, count1_q} <= earlier1 ? 7'd0 : {1'b0, count1_q} - earlier1;
  wire  [5:0] here1    = left1 >= 7'(Lanes) ? 6'(Lanes) : left1[5:0];
  logic [8:0] tag_write_q, tag_read_q;
  wire  [8:0] tag_read_d = tag_read_q + {8'd0, round_done};
  (* ram_style = "distributed" *) logic [TagBits-1:0] tag_memory [0:255];
  always_ff @(posedge clk_i) begin
    sequence1_q <= next_sequence;
    count1_q    <= next_count;
    place1_q    <= dispatched[5:0];
    last1_q     <= last_round;
    if (dispatched1_q) tag_memory[tag_write_q[7:0]] <= {sequence1_q, here1, place1_q, round1_q, last1_q};
    tag_q <= tag_memory[tag_read_d[7:0]];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tag_write_q <= '0;
      tag_read_q  <= '0;
    end else begin
      tag_write_q <= tag_write_q + {8'd0, dispatched1_q};
      tag_read_q  <= tag_read_d;
    end
  end

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
  wire [Width-1:0]   new_theta = array_valid[1] ? array_theta[1] : array_theta[0];
  wire [3*Width-1:0] new_state = array_valid[1] ? array_state[1] : array_state[0];

  // 6. Write back: to the parameters' memory, lanes of the frame only, and for the frame.
  wire [Lanes-1:0] carried = ~({Lanes{1'b1}} << tag_here);
  if (Rounds > 1) begin : gen_write_at
    assign row_write_at = {tag_sequence, tag_round[RoundBits-1:0]};
  end else begin : gen_write_at
    assign row_write_at = tag_sequence;
  end
  wire [Lanes-1:0] host_lanes = cfg_alone ? {{(Lanes-1){1'b0}}, 1'b1} << cfg_lane : {Lanes{1'b1}};
  for (genvar b = 0; b <= States; b++) begin : gen_write
    assign row_write[Lanes*b +: Lanes]  = carried & {Lanes{round_done}};
    assign host_write[Lanes*b +: Lanes] = host_lanes & {Lanes{cfg_write && {29'd0, cfg_address_i[30:28]} == b}}
                                          & ~(row_write[Lanes*b +: Lanes] & {Lanes{same_row}});
  end
  assign row_new = {new_state, new_theta};
  (* ram_style = "distributed" *) logic [1023:0] result_memory [0:63];
  always_ff @(posedge clk_i) begin
    if (round_done) begin
      for (int r = 0; r < Rounds; r++) begin
        if ({26'd0, tag_round} == r) result_memory[tag_place][Width*r +: Width] <= new_theta;
      end
    end
  end

  // 7. Around the array: the frames in order. Headers of selected ones are made new on the way in: the checksum was right, or
  // the frame would be no gradient.
  logic         valid1_q, valid2_q, valid3_q, first1_q, first2_q, first3_q, second1_q, second2_q;
  logic         selected1_q, selected2_q, selected3_q;
  logic [480:0] beat1_q, beat2_q, beat3_q;
  wire  [255:0] data2 = beat2_q[255:0];
  localparam int Checksum = 8 * (gw_expether_pkg::ChecksumByte - 32);
  localparam logic [15:0] TypeGrew = {8'd0, gw_expether_pkg::TypeParameter - gw_expether_pkg::TypeGradient};  // its word's lower byte
  wire  [15:0]  checksum = gw_expether_pkg::amend(gw_expether_pkg::swap16(data2[Checksum +: 16]), TypeGrew);
  localparam int TypeBit  = 8 * gw_expether_pkg::TypeByte;
  wire  [191:0] user0 = {s_axis_tuser[191:gw_expether_pkg::UserOptimised+1],
                         selected0, s_axis_tuser[gw_expether_pkg::UserOptimised-1:0]};
  always_ff @(posedge clk_i) begin
    valid1_q <= issue && rst_ni;
    valid2_q <= valid1_q && rst_ni;
    valid3_q <= valid2_q && rst_ni;
    if (issue) begin
      first1_q    <= first0;
      second1_q   <= index_q == 3'd1;
      selected1_q <= selected0;
      beat1_q     <= {user0, s_axis_tlast, s_axis_tkeep, s_axis_tdata[255:TypeBit+8],
                      selected0 && first0 ? gw_expether_pkg::TypeParameter : s_axis_tdata[TypeBit +: 8],
                      s_axis_tdata[TypeBit-1:0]};
    end
    if (valid1_q) begin
      first2_q    <= first1_q;
      second2_q   <= second1_q;
      selected2_q <= selected1_q;
      beat2_q     <= beat1_q;
    end
    if (valid2_q) begin
      first3_q    <= first2_q;
      selected3_q <= selected2_q;
      beat3_q     <= {beat2_q[480:256], data2[255:Checksum+16],
                      second2_q && selected2_q ? gw_expether_pkg::swap16(checksum) : data2[Checksum +: 16],
                      data2[Checksum-1:0]};
    end
  end

  (* ram_style = "block" *) logic [480:0] queue_memory [0:255];
  (* ram_style = "distributed" *) logic         hold_memory  [0:255];  // the first beat of a selected frame
  logic [8:0]   write_q, read_q;
  wire          waiting = hold_memory[read_q[7:0]] && done == loaded_q;
  assign load = (!m_axis_tvalid || m_axis_tready) && write_q != read_q && !waiting;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q       <= '0;
      read_q        <= '0;
      m_axis_tvalid <= 1'b0;
    end else begin
      write_q <= write_q + {8'd0, valid3_q};
      read_q  <= read_q + {8'd0, load};
      if (!m_axis_tvalid || m_axis_tready) m_axis_tvalid <= load;
    end
  end
  logic [480:0] out_q;
  always_ff @(posedge clk_i) begin
    if (valid3_q) begin
      queue_memory[write_q[7:0]] <= beat3_q;
      hold_memory[write_q[7:0]]  <= first3_q && selected3_q;
    end
    if (load) out_q <= queue_memory[read_q[7:0]];
  end

  // New parameters take the place of the values behind the output's register. Which beat is loaded is known from the
  // beat before it, that is, from the one in the register.
  logic          loaded_any_q;
  logic          out_last_q;      // out_q's, in a register that is earlier than the memory's
  (* ram_style = "distributed" *) logic last_memory [0:255];
  logic [2:0]    out_index_q;  // of the beat in the register
  logic          out_selected_q;
  logic [1023:0] result_q;
  logic [5:0]    out_count_q;
  logic [1:0]    out_row_q;       // of the frame's values, and which of them are in the beat: at once with it
  logic [7:0]    out_replaces_q;
  wire  [2:0]    load_index    = !loaded_any_q || out_last_q ? 3'd0 : out_index_q == 3'd6 ? 3'd6 : out_index_q + 3'd1;
  wire           load_selected = load_index == 3'd0 ? hold_memory[read_q[7:0]] : out_selected_q;
  wire  [5:0]    loading_place = loaded_q[5:0];
  wire  [1:0]    load_row      = load_index[1:0] - 2'd2;
  wire  [7:0]    load_replaces;   // a frame's count is there when its values come
  for (genvar i = 0; i < 8; i++) begin : gen_replaces
    localparam logic [2:0] Lane = i;
    assign load_replaces[i] = out_selected_q && load_index >= 3'd2 && load_index <= 3'd5 && {1'b0, load_row, Lane} < out_count_q;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) loaded_any_q <= 1'b0;
    else if (load) loaded_any_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      out_last_q     <= last_memory[read_q[7:0]];
      out_index_q    <= load_index;
      out_selected_q <= load_selected;
      out_row_q      <= load_row;
      out_replaces_q <= load_replaces;
      if (load_index == 3'd0 && load_selected) begin
        result_q    <= result_memory[loading_place];
        out_count_q <= info_memory[loading_place][37:32];
      end
    end
  end
  // A frame's place is free with its last beat loaded.
  always_ff @(posedge clk_i) if (valid3_q) last_memory[write_q[7:0]] <= beat3_q[288];
  assign load_last_selected = load && load_selected && last_memory[read_q[7:0]];

  wire [255:0] result_row = out_row_q == 2'd0 ? result_q[255:0] : out_row_q == 2'd1 ? result_q[511:256]
                          : out_row_q == 2'd2 ? result_q[767:512] : result_q[1023:768];
  for (genvar i = 0; i < 8; i++) begin : gen_replace
    assign m_axis_tdata[32*i +: 32] = out_replaces_q[i] ? result_row[32*i +: 32] : out_q[32*i +: 32];
  end
  assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep} = out_q[480:256];

  // What the host reads: of a row's blocks the lane, then the block; or a register, as it was when asked for.
  logic        look1_q, look2_q;
  logic [4:0]  look_lane_q;
  logic [2:0]  look_block_q;
  logic [31:0] look_state_q, look_word_q;
  logic [32*(1+States)-1:0] look_lanes_q;
  wire  [1023:0] look_states = {{12{32'd0}}, powers, {31'd0, iterating}, iteration, 32'd0, host_q, 32'd0, shadow_q};
  always_ff @(posedge clk_i) begin
    look1_q <= cfg_look;
    look2_q <= look1_q;
    if (cfg_read_i) begin
      look_lane_q  <= cfg_lane;
      look_block_q <= cfg_address_i[30:28];
      look_state_q <= look_states[{cfg_address_i[4:0], 5'd0} +: 32];
    end
    if (look1_q) begin
      for (int b = 0; b <= States; b++) look_lanes_q[32*b +: 32] <= row1_q[Width*b + 32*look_lane_q +: 32];
    end
    if (look2_q) look_word_q <= look_lanes_q[32*look_block_q +: 32];
    else look_word_q <= look_state_q;
  end
  assign cfg_data_o = look_word_q;

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

  wire unused_bits = ^{cfg_address_i[27:5+DepthLog2], cfg_shift[31:0], new_state, dispatched[6], advance_left};

  wire [8:0] tags = tag_write_q - tag_read_q;
  `GW_ASSERT(RoundsHaveTags, !round_done || tags != '0)
  `GW_ASSERT(TagsFindRoom, tags <= 9'd256)
  `GW_ASSERT(NeverMoreThanQueue, used_q <= 9'd256)
  `GW_ASSERT(PlacesAreTheFrames, places_q == issued_q - loaded_q)
  `GW_ASSERT(OneHalfAtATime, array_valid != 2'b11)
  `GW_ASSERT(RestoredWhileIdle, !(job_reset_i || (cfg_valid_i && cfg_restore_i)) || issued_q == loaded_q)
endmodule

`default_nettype wire
