// Gradient Aggregation: sums the values of W workers by sequence number, in the frames as they pass.
// Latency AddLatency + 4 cycles, one beat a cycle; frames of one sequence number AddLatency + 3 cycles apart.
// Optimizer switch (IEICE'21) sections 3.3 and 5.2, Figure 12; contract in docs/devices/aggregator.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// For frames after a parser; gw_aggregator has its own. s_axis_tready looks at the beat that is offered.
module gw_aggregation #(
  parameter int DepthLog2 = 10,
  parameter int AddLatency = 5,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic             aclk,
  input  wire logic             aresetn,
  input  wire logic [4:0]       workers_i,
  input  wire logic [15:0]      group_i,
  input  wire logic [DepthLog2:0] depth_i,
  input  wire logic [255:0]     s_axis_tdata,
  input  wire logic [31:0]      s_axis_tkeep,
  input  wire logic             s_axis_tvalid,
  output logic                  s_axis_tready,
  input  wire logic             s_axis_tlast,
  input  wire logic [191:0]     s_axis_tuser,
  output logic [255:0]          m_axis_tdata,
  output logic [31:0]           m_axis_tkeep,
  output logic                  m_axis_tvalid,
  input  wire logic             m_axis_tready,
  output logic                  m_axis_tlast,
  output logic [191:0]          m_axis_tuser,
  // what gw_expether_pkg::selects says of the frame, known with its beat
  output logic                  m_selected_o,
  output logic [10*32-1:0]      stat_o,
  input  wire logic             job_reset_i,  // slots are cleared anew; only while no frame is within
  output logic                  clearing_o    // they are not all cleared
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;
  localparam int Slots = 1 << DepthLog2;
  localparam int A = AddLatency;
  initial if (AddLatency < 1 || AddLatency > 12) $fatal(1, "gw_aggregation: AddLatency must be 1 to 12");

  typedef enum logic [2:0] {
    First, Added, Duplicate, Stale, OutOfRange, BadWorker, OtherGroup
  } action_t;

  // 0. Issue: a beat goes in unless its frame would read a sum that is still in the adders.
  wire [31:0] sequence_no = s_axis_tuser[gw_expether_pkg::UserSequence +: 32];
  wire [5:0]  count0      = s_axis_tuser[gw_expether_pkg::UserCount +: 6];  // of a candidate: 1..32
  wire        gradient0   = s_axis_tuser[gw_expether_pkg::UserKind +: 3] == gw_expether_pkg::KindGradient;
  wire        group_ok0   = s_axis_tuser[gw_expether_pkg::UserGroup +: 16] == group_i;
  // There are 16 workers and 2^DepthLog2 slots, whatever the pins say: none is two workers' or two sequence
  // numbers'.
  wire [15:0] worker0     = s_axis_tuser[gw_expether_pkg::UserWorker +: 16];
  wire        worker_ok0  = worker0 < {11'd0, workers_i} && worker0[15:4] == 12'd0;
  wire        range_ok0   = sequence_no < {{(31-DepthLog2){1'b0}}, depth_i}
                            && sequence_no[31:DepthLog2] == '0;
  wire        accepted0   = gradient0 && group_ok0 && worker_ok0;
  wire        candidate0  = accepted0 && range_ok0;
  wire [DepthLog2-1:0] slot0 = sequence_no[DepthLog2-1:0];

  logic [2:0] index_q;  // of the beat that is offered in its frame; 6: any after the payload
  wire        first0 = index_q == 3'd0;
  wire [1:0]  row0   = index_q[1:0] - 2'd2;
  wire        payload0 = candidate0 && index_q >= 3'd2 && index_q <= 3'd5 && {1'b0, row0, 3'd0} < count0;

  // A frame waits for one with its own sequence number, and that one is in range. So the late comparison with
  // depth_i need not be waited for: numbers below 2^DepthLog2 are equal if their slots are.
  wire conflict;
  wire issue;
  wire names_slot0 = sequence_no[31:DepthLog2] == '0;
  gw_interlock #(.SlotBits(DepthLog2), .AddLatency(A)) u_interlock (
    .clk_i, .rst_ni,
    .candidate_i (accepted0 && names_slot0),
    .index_i     (index_q),
    .slot_i      (slot0),
    .payload_i   (payload0),
    .issue_i     (issue),
    .hazard_o    (conflict)
  );
  wire hazard = s_axis_tvalid && conflict;

  logic [DepthLog2:0] clear_q;
  wire                cleared = clear_q[DepthLog2];
  logic [5:0]         used_q;
  wire                leave = m_axis_tvalid & m_axis_tready;
  assign s_axis_tready = cleared && !used_q[5] && !hazard;
  assign issue = s_axis_tvalid & s_axis_tready;
  assign clearing_o = !cleared;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q        <= '0;
      used_q         <= '0;
      clear_q        <= '0;
    end else begin
      if (issue) index_q <= s_axis_tlast ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
      // both are late: the sums do not wait for them
      if (issue != leave) used_q <= issue ? used_q + 6'd1 : used_q - 6'd1;
      clear_q <= job_reset_i ? '0 : clear_q + {{DepthLog2{1'b0}}, ~cleared};
    end
  end
  // Memories: a slot is what is known of it, and four rows of sums.
  localparam int SlotBits = 1 + 6 + 16 + 32;
  typedef struct packed {
    logic        valid;
    logic [5:0]  lanes;      // with a value
    logic [15:0] workers;    // seen
    logic [31:0] iteration;
  } slot_t;
  (* ram_style = "block" *) logic [SlotBits-1:0] slot_memory [0:Slots-1];
  (* ram_style = "block" *) logic [255:0]        sum_memory  [0:4*Slots-1];
  slot_t                slot1_q;
  logic [255:0]         sum1_q;
  wire                  slot_write;
  wire [DepthLog2-1:0]  slot_write_at;
  wire [SlotBits-1:0]   slot_write_data;
  wire                  sum_write;
  wire [DepthLog2+1:0]  sum_write_at;
  wire [255:0]          sum_write_data;
  always_ff @(posedge clk_i) begin
    // not `issue`, which is late; nobody looks until it was issued
    if (s_axis_tvalid) slot1_q <= slot_memory[slot0];
    if (!cleared) slot_memory[clear_q[DepthLog2-1:0]] <= '0;
    else if (slot_write) slot_memory[slot_write_at] <= slot_write_data;
  end
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid) sum1_q <= sum_memory[{slot0, row0}];
    if (sum_write) sum_memory[sum_write_at] <= sum_write_data;
  end

  // 1. Look at what the slot says, which comes late, out of block RAM. A frame's first beat decides; the
  // others follow.
  logic         valid1_q, first1_q, second1_q, payload1_q, last1_q, gradient1_q, group_ok1_q, worker_ok1_q,
    range_ok1_q;
  logic [1:0]   row1_q;
  logic [255:0] data1_q;
  logic [31:0]  keep1_q;
  logic [191:0] user1_q;
  always_ff @(posedge clk_i) begin
    valid1_q <= issue && rst_ni;
    if (issue) begin
      first1_q     <= first0;
      second1_q    <= index_q == 3'd1;
      payload1_q   <= payload0;
      last1_q      <= s_axis_tlast;
      row1_q       <= row0;
      data1_q      <= s_axis_tdata;
      keep1_q      <= s_axis_tkeep;
      user1_q      <= s_axis_tuser;
      gradient1_q  <= gradient0;
      group_ok1_q  <= group_ok0;
      worker_ok1_q <= worker_ok0;
      range_ok1_q  <= range_ok0;
    end
  end

  wire [31:0] iteration1 = user1_q[gw_expether_pkg::UserIteration +: 32];
  wire [5:0]  count1     = user1_q[gw_expether_pkg::UserCount +: 6];
  wire [15:0] bit1       = 16'd1 << user1_q[gw_expether_pkg::UserWorker +: 4];
  wire [31:0] ahead1     = iteration1 - slot1_q.iteration;
  wire        unused_ahead = ^ahead1[30:0];
  logic        gradient2_q, group_ok2_q, worker_ok2_q, range_ok2_q, valid_slot2_q, older2_q, same2_q, seen2_q;
  logic [5:0]  lanes2_q;
  logic [15:0] workers2_q, bit2_q;
  always_ff @(posedge clk_i) begin
    if (valid1_q && first1_q) begin
      gradient2_q   <= gradient1_q;
      group_ok2_q   <= group_ok1_q;
      worker_ok2_q  <= worker_ok1_q;
      range_ok2_q   <= range_ok1_q;
      valid_slot2_q <= slot1_q.valid;
      older2_q      <= !ahead1[31];
      same2_q       <= iteration1 == slot1_q.iteration;
      seen2_q       <= (slot1_q.workers & bit1) != 16'd0;
      lanes2_q      <= slot1_q.lanes;
      workers2_q    <= slot1_q.workers;
      bit2_q        <= bit1;
    end
  end

  // Sums of lanes that hold none count as +0. Where a frame begins the sums anew, that is seen to when they
  // are written.
  wire [7:0]   carried1;  // lanes of this row that the frame carries
  wire [255:0] sum1;
  for (genvar i = 0; i < 8; i++) begin : gen_mask
    localparam logic [2:0] Lane = i;
    assign carried1[i] = {1'b0, row1_q, Lane} < count1;
    assign sum1[32*i +: 32] = sum1_q[32*i +: 32] & {32{{1'b0, row1_q, Lane} < lanes2_q}};
  end

  // Place p of a line is seen p cycles after the adders' operands; it goes with them.
  localparam int LineBits = 1 + 32 + 192;  // words begin at multiples of 32: no shifts in simulation
  logic [A:0]           valid_q, payload_q, second_q;
  logic [A:1]           rewritten_q, adds_q, copies_q;
  wire  [7:0]           carried [0:A] /* verilator split_var */;
  wire  [DepthLog2+1:0] at      [0:A] /* verilator split_var */;
  wire  [LineBits-1:0]  line    [0:A] /* verilator split_var */;
  wire  [255:0]         data    [0:A] /* verilator split_var */;
  wire  [255:0]         sum     [0:A] /* verilator split_var */;

  // 2. Decide, and add.
  // what the slot holds is older than the frame, or nothing
  wire        first2   = !valid_slot2_q || (older2_q && !same2_q);
  wire        refused2 = !group_ok2_q || !worker_ok2_q || !range_ok2_q;
  action_t    action2;
  assign action2 = !group_ok2_q ? OtherGroup
                   : !worker_ok2_q ? BadWorker
                   : !range_ok2_q ? OutOfRange
                   : first2 ? First
                   : !same2_q ? Stale
                   : seen2_q ? Duplicate : Added;
  wire        rewrite2 = gradient2_q && !refused2 && (first2 || same2_q);
  wire        copy2    = rewrite2 && first2;
  wire        add2     = rewrite2 && !first2 && !seen2_q;
  wire [15:0] joined2  = (workers2_q & {16{!first2}}) | bit2_q;
  wire [15:0] all_bits = ~(16'hFFFF << workers_i);
  wire        complete2 = (copy2 || add2) && joined2 == all_bits;
  logic       opening2_q;  // a frame's first beat is here
  always_ff @(posedge clk_i) opening2_q <= valid1_q && first1_q && rst_ni;

  // The next frame that reads the slot is at least A + 3 cycles after this one.
  wire [191:0] user2 = line[0][191:0];
  wire [5:0]   count2 = user2[gw_expether_pkg::UserCount +: 6];
  assign slot_write      = opening2_q && (copy2 || add2);
  assign slot_write_at   = at[0][DepthLog2+1:2];
  assign slot_write_data = {1'b1, first2 || lanes2_q < count2 ? count2 : lanes2_q, joined2,
                            user2[gw_expether_pkg::UserIteration +: 32]};

  // What leaves with a new flag and the action in tuser.
  wire [255:0] data2 = data[0];
  localparam int Flag = 8 * gw_expether_pkg::FlagsByte + gw_expether_pkg::FlagComplete;
  wire [255:0] data2_flagged = {data2[255:Flag+1], opening2_q && rewrite2 ? complete2 : data2[Flag],
                                data2[Flag-1:0]};
  wire [191:0] user2_decided = {user2[191:gw_expether_pkg::UserAction+3], gradient2_q ? action2 + 3'd1 : 3'd0,
                                user2[gw_expether_pkg::UserAction-1:gw_expether_pkg::UserComplete+1],
                                  complete2,
                                user2[gw_expether_pkg::UserComplete-1:0]};

  wire [A:0]   rewritten = {rewritten_q, rewrite2};
  wire [A:0]   adds      = {adds_q, add2};
  wire [A:0]   copies    = {copies_q, copy2};
  wire         unused_ends = ^{rewritten, adds, copies};
  wire [255:0] added;
  wire [A-1:0] adding = valid_q[A-1:0] & payload_q[A-1:0] & adds[A-1:0];
  for (genvar i = 0; i < 8; i++) begin : gen_add
    gw_fp_add #(.Latency(A), .Subnormal(Subnormal)) u_add (
      .clk_i, .enable_i(adding), .subtract_i(1'b0), .a_i(sum[0][32*i +: 32]), .b_i(data[0][32*i +: 32]),
      .result_o(added[32*i +: 32])
    );
  end

  // The checksum follows the flag: it was right, or the frame would be no candidate. tuser has what the flag
  // was and what it is.
  wire [255:0] data3 = data[1];
  wire [191:0] user3 = line[1][191:0];
  wire         checksum_goes_in = second_q[1] && rewritten[1];
  localparam int Checksum = 8 * (gw_expether_pkg::ChecksumByte - 32);
  // flags are their word's upper byte
  localparam logic [15:0] FlagWeight = 16'd1 << (8 + gw_expether_pkg::FlagComplete);
  wire         flagged3 = user3[gw_expether_pkg::UserComplete];
  wire  [15:0] flag_grew =
      user3[gw_expether_pkg::UserFlags + gw_expether_pkg::FlagComplete] == flagged3 ? 16'hFFFF
      : flagged3 ? FlagWeight : ~FlagWeight;
  wire  [15:0] checksum = gw_expether_pkg::amend(gw_expether_pkg::swap16(data3[Checksum +: 16]), flag_grew);
  wire [255:0] data_fixed = {data3[255:Checksum+16],
                             checksum_goes_in ? gw_expether_pkg::swap16(checksum) : data3[Checksum +: 16],
                             data3[Checksum-1:0]};

  always_ff @(posedge clk_i) begin
    valid_q     <= {valid_q[A-1:0], valid1_q} & {(A+1){rst_ni}};
    payload_q   <= {payload_q[A-1:0], valid1_q && payload1_q};
    second_q    <= {second_q[A-1:0], valid1_q && second1_q};
    rewritten_q <= rewritten[A-1:0];
    adds_q      <= adds[A-1:0];
    copies_q    <= copies[A-1:0];
  end
  for (genvar p = 0; p <= A; p++) begin : gen_place
    logic [7:0]           carried_q;
    logic [DepthLog2+1:0] at_q;
    logic [LineBits-1:0]  line_q;
    logic [255:0]         data_q, sum_q;
    if (p == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        carried_q <= carried1;
        at_q      <= {user1_q[gw_expether_pkg::UserSequence +: DepthLog2], row1_q};
        line_q    <= {last1_q, keep1_q, user1_q};
        data_q    <= data1_q;
        sum_q     <= sum1;
      end
    end else begin : gen_next
      always_ff @(posedge clk_i) begin
        carried_q <= carried[p-1];
        at_q      <= at[p-1];
        line_q    <= p == 1 ? {line[0][LineBits-1:192], user2_decided} : line[p-1];
        data_q    <= p == 1 ? data2_flagged : p == 2 ? data_fixed : data[p-1];
        sum_q     <= sum[p-1];
      end
    end
    assign carried[p] = carried_q;
    assign at[p]      = at_q;
    assign line[p]    = line_q;
    assign data[p]    = data_q;
    assign sum[p]     = sum_q;
  end

  // 3. Write back, and into the frame.
  wire [255:0] data_last = A == 1 ? data_fixed : data[A];
  wire [255:0] result, row;
  for (genvar i = 0; i < 8; i++) begin : gen_result
    wire [31:0] value = copies_q[A] ? data[A][32*i +: 32] : adds_q[A] ? added[32*i +: 32]
                        : sum[A][32*i +: 32];
    assign row[32*i +: 32]    = carried[A][i] ? value : sum[A][32*i +: 32] & {32{!copies_q[A]}};
    assign result[32*i +: 32] = carried[A][i] && payload_q[A] && rewritten_q[A] ? value
                                : data_last[32*i +: 32];
  end
  assign sum_write      = valid_q[A] && payload_q[A] && rewritten_q[A] && (adds_q[A] || copies_q[A]);
  assign sum_write_at   = at[A];
  assign sum_write_data = row;

  // 4. Out.
  logic         out_valid_q;
  typedef struct packed {
    logic         last;
    logic [31:0]  keep;
    logic [191:0] user;
    logic [255:0] data;
  } beat_t;
  beat_t        out_q;
  wire          room;
  always_ff @(posedge clk_i) begin
    out_valid_q <= valid_q[A] && rst_ni;
    if (valid_q[A]) out_q <= {line[A], result};
  end
  wire selected = gw_expether_pkg::selects(out_q.user[gw_expether_pkg::UserKind +: 3],
                                           out_q.user[gw_expether_pkg::UserComplete],
                                           out_q.user[gw_expether_pkg::UserSequence +: 32], DepthLog2);
  gw_fifo_head #(.Width(482), .DepthLog2(5)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i(out_valid_q), .s_ready_o(room), .s_data_i({selected, out_q}),
    .m_valid_o(m_axis_tvalid), .m_ready_i(m_axis_tready),
    .m_data_o({m_selected_o, m_axis_tlast, m_axis_tkeep, m_axis_tuser, m_axis_tdata})
  );

  // Statistics: by action, complete, abandoned, interlock cycles; a cycle late, since `hazard` comes from in
  // front.
  logic       decided_q, completed_q, abandoned_q, hazard_q;
  action_t    action_q;
  always_ff @(posedge clk_i) begin
    decided_q <= opening2_q && gradient2_q && rst_ni;
    hazard_q  <= hazard && rst_ni;
    if (opening2_q) begin
      action_q    <= action2;
      completed_q <= complete2;
      abandoned_q <= copy2 && valid_slot2_q && workers2_q != all_bits;
    end
  end
  for (genvar i = 0; i < 10; i++) begin : gen_stat
    logic [31:0] count_q;
    wire hit = i < 7 ? {29'd0, action_q} == i : i == 7 ? completed_q : abandoned_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= '0;
      else if (i == 9 ? hazard_q : decided_q && hit) count_q <= count_q + 32'd1;
    end
    assign stat_o[32*i +: 32] = count_q;
  end

  wire unused_bits = ^{second_q[A], user2[gw_expether_pkg::UserAction +: 3],
                       user2[gw_expether_pkg::UserComplete]};

  // No row is read while a beat that will write it is between its read and its write.
  wire [A+1:0] stale_read;
  assign stale_read[0] = valid1_q && payload1_q && issue && payload0
                         && {slot0, row0} == {user1_q[gw_expether_pkg::UserSequence +: DepthLog2], row1_q};
  for (genvar p = 0; p <= A; p++) begin : gen_stale
    assign stale_read[p+1] = valid_q[p] && payload_q[p] && issue && payload0 && {slot0, row0} == at[p];
  end
  `GW_COVER(Interlocked, hazard && cleared && !used_q[5])
  `GW_COVER(InterlockedWhileFull, hazard && used_q[5])
  `GW_COVER(Full, used_q == 6'd32)
  `GW_COVER(CompletedByFirst, opening2_q && copy2 && complete2)
  `GW_COVER(CompletedByAdded, opening2_q && add2 && complete2)
  `GW_COVER(AbandonedSlot, opening2_q && copy2 && valid_slot2_q && workers2_q != all_bits)
  `GW_COVER(MoreLanesThanTheSlot, opening2_q && add2 && lanes2_q < count2)
  `GW_COVER(FewerLanesThanTheSlot, opening2_q && add2 && lanes2_q > count2)
  `GW_ASSERT(NoStaleSum, stale_read == '0)
  `GW_ASSERT(BeatsFindRoom, !out_valid_q || room)
  `GW_ASSERT(NeverMoreThanQueue, used_q <= 6'd32)
  `GW_ASSERT(JobsResetWhileIdle, !job_reset_i || used_q == 6'd0)
endmodule

`default_nettype wire
