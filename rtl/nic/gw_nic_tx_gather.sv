// Cuts the floats out of candidates, eight to a group wherever they begin, and keeps the bytes around them.
// Combinational from the oldest beat to the group; one beat a cycle.
// INCEPTIONN (MICRO'18) section VI-A: the packet's payload goes into the compression engine.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_gather (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         beat_valid_i,   // the oldest beat
  input  wire logic [255:0] beat_data_i,
  input  wire logic [5:0]   beat_count_i,
  input  wire logic         beat_last_i,
  output logic              leave_o,        // it goes
  input  wire logic         frame_valid_i,  // what its frame is
  input  wire logic         candidate_i,
  input  wire logic [7:0]   floats_at_i,
  input  wire logic [11:0]  floats_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [1:0]   tail_i,
  output logic              group_valid_o,
  input  wire logic         group_ready_i,
  output logic [255:0]      group_data_o,
  output logic              group_last_o,
  output logic              done_o,         // a candidate's last beat goes
  output logic [47:0]       edges_o         // with it: the bytes before and after its floats
);
  // Where the next group begins: in the beat that comes after `wait_beats` others, in this one, or in the one
  // before.
  logic        first_q, begun_q;
  logic [2:0]  wait_q;
  logic [11:0] left_q;
  logic [8:0]  index_q;
  wire  [4:0]  at         = floats_at_i[4:0];  // the same place in each beat
  wire  [2:0]  wait_beats = first_q ? floats_at_i[7:5] : wait_q;
  wire  [11:0] left       = first_q ? floats_i : left_q;
  wire         here       = wait_beats == 3'd0;

  // Lanes that a group wants, and those whose bytes are there: of the next group, and of the one after it. A
  // group that does not begin before the frame's end has none.
  function automatic [3:0] up_to_8(input [11:0] floats);
    up_to_8 = floats[11:3] != 9'd0 ? 4'd8 : floats[3:0];
  endfunction
  function automatic [3:0] lanes_in(input [4:0] words);  // in two's complement
    lanes_in = words[4] ? 4'd0 : words[3] ? 4'd8 : {1'b0, words[2:0]};
  endfunction
  wire        more      = left > 12'd8;
  wire [3:0]  wanted    = up_to_8(left);
  wire [3:0]  wanted2   = up_to_8(left - 12'd8);
  wire [6:0]  from_here = {1'b0, beat_count_i} - {2'd0, at};
  wire [3:0]  there2    = lanes_in(from_here[6:2]) & {4{begun_q}};
  wire [3:0]  there     = lanes_in(from_here[6:2] + {1'b0, begun_q, 3'd0}) & {4{here}};
  wire        complete  = here && there >= wanted;
  wire        complete2 = begun_q && complete && more && there2 >= wanted2;

  // The frame's end completes what is left. One group goes with the beat; what would be a second, in the next
  // cycle.
  wire  open  = candidate_i && left != 12'd0;
  wire  sends = open && (complete || beat_last_i);
  wire  again = open && complete && more && (complete2 || beat_last_i);
  logic flush_q;
  logic [3:0] flush_lanes_q;
  assign leave_o       = beat_valid_i & frame_valid_i & group_ready_i;
  assign group_valid_o = flush_q | (beat_valid_i & frame_valid_i & sends);
  assign group_last_o  = flush_q | ~(complete & more);
  assign done_o        = leave_o & beat_last_i & candidate_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      begun_q <= 1'b0;
      flush_q <= 1'b0;
    end else begin
      if (leave_o) begin
        first_q <= beat_last_i;
        begun_q <= here & (begun_q | ~complete) & ~beat_last_i;
      end
      if (group_ready_i) flush_q <= leave_o & again;
    end
  end
  always_ff @(posedge clk_i) begin
    if (leave_o) begin
      wait_q        <= here ? 3'd0 : wait_beats - 3'd1;
      left_q        <= !complete ? left : more && !complete2 ? left - 12'd8 : 12'd0;
      index_q       <= first_q ? 9'd1 : index_q + 9'd1;
      flush_lanes_q <= there2 < wanted2 ? there2 : wanted2;
    end
  end

  // Data: all beats are turned so that a group's bytes lie at their lanes, some of them in one beat and the
  // rest in the next.
  logic [255:0] before_q;
  wire  [255:0] turned, across, group;
  wire  [3:0]   lanes = flush_q ? flush_lanes_q : there < wanted ? there : wanted;
  // A simulator has nothing to do for other frames.
  wire          wanted_here = candidate_i | flush_q;
  assign turned = wanted_here ? gw_nic_tx_pkg::turned(beat_data_i, 5'd0 - at) : 256'd0;
  assign across = wanted_here ? gw_nic_tx_pkg::spliced(before_q, turned, 6'd32 - {1'b0, at}) : 256'd0;
  assign group = wanted_here ? gw_nic_tx_pkg::spliced(flush_q ? before_q : begun_q ? across : turned, 256'd0,
                                                      {lanes, 2'd0}) : 256'd0;
  assign group_data_o = group;
  always_ff @(posedge clk_i) if (leave_o) before_q <= turned;

  // Edges. The head is what lies in front of lane 0, when the first float's beat comes. The tail lies in the
  // lane after the last float, when the packet's last beat comes, which is the frame's if it is packed.
  wire [8:0]  index     = first_q ? 9'd0 : index_q;
  wire        head_here = index == {6'd0, floats_at_i[7:5]};
  logic [23:0] head_q;
  wire [23:0] head      = head_here ? across[255:232] : head_q;
  wire        tail_here = index == {6'd0, floats_at_i[7:5]} + floats_i[11:3];  // begins in this beat
  wire [255:0] behind   = tail_here ? turned : across;
  wire [23:0] tail      = behind[{floats_i[2:0], 5'd0} +: 24]
                          & {{8{&tail_i}}, {8{tail_i[1]}}, {8{tail_i != 2'd0}}};
  always_ff @(posedge clk_i) if (leave_o) head_q <= head;
  // Each byte of the head moves down past the bytes that are none of it, each of the tail up past the head's.
  wire [23:0] head_down = head >> {2'd3 - head_i, 3'd0};
  wire [47:0] tail_up   = {24'd0, tail} << {head_i, 3'd0};
  assign edges_o = tail_up | {24'd0, head_down};

  wire unused_bytes = ^from_here[1:0];
  `GW_ASSERT(FlushMeetsNoGroup, !(flush_q && beat_valid_i && frame_valid_i && sends))
endmodule

`default_nettype wire
