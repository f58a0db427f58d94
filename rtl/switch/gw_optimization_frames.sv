// Around the array: the frames in order, with new parameters in place of the gradients.
// Latency 5 cycles for a frame that waits for nothing; one beat a cycle.
// Optimizer switch (IEICE'21) sections 5.2 and 5.3, Figure 12; docs/devices/optimizer.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_optimization_frames #(
  parameter int Lanes = 32,
  localparam int Width = 32 * Lanes
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             issue_i,      // the beat goes in; the user counts the room: 256 beats
  input  wire logic             first_i,      // it is its frame's first one
  input  wire logic             second_i,
  input  wire logic             selected_i,   // its frame gets new parameters
  input  wire logic [255:0]     s_axis_tdata,
  input  wire logic [31:0]      s_axis_tkeep,
  input  wire logic             s_axis_tlast,
  input  wire logic [191:0]     s_axis_tuser,
  output logic                  load_o,       // a beat leaves the queue
  output logic                  load_last_o,  // that of a selected frame, its last one
  input  wire logic [6:0]       loaded_i,     // selected frames that have left it, modulo 128
  input  wire logic [6:0]       done_i,       // those that are through the array
  input  wire logic [5:0]       count_i,      // values of the frame whose place is loaded_i's
  // a round is through: which one of the frame at which place, new parameters
  input  wire logic             round_done_i,
  input  wire logic [5:0]       round_i,
  input  wire logic [5:0]       place_i,
  input  wire logic [Width-1:0] theta_i,
  output logic [255:0]          m_axis_tdata,
  output logic [31:0]           m_axis_tkeep,
  output logic                  m_axis_tvalid,
  input  wire logic             m_axis_tready,
  output logic                  m_axis_tlast,
  output logic [191:0]          m_axis_tuser
);
  localparam int Rounds = 32 / Lanes;  // of a full frame
  localparam int Checksum = 8 * (gw_expether_pkg::ChecksumByte - 32);
  localparam int TypeBit  = 8 * gw_expether_pkg::TypeByte;
  // its word's lower byte
  localparam logic [15:0] TypeGrew = {8'd0, gw_expether_pkg::TypeParameter - gw_expether_pkg::TypeGradient};
  typedef struct packed {
    logic [191:0] user;
    logic         last;
    logic [31:0]  keep;
    logic [255:0] data;
  } beat_t;

  // 1. Headers of selected frames are made new on the way in: the checksum was right, or the frame would be
  // no gradient.
  logic        valid1_q, valid2_q, valid3_q, first1_q, first2_q, first3_q, second1_q, second2_q;
  logic        selected1_q, selected2_q, selected3_q;
  beat_t       beat1_q, beat2_q, beat3_q;
  wire [191:0] user0 = {s_axis_tuser[191:gw_expether_pkg::UserOptimised+1],
                        selected_i, s_axis_tuser[gw_expether_pkg::UserOptimised-1:0]};
  wire [255:0] data0 = {s_axis_tdata[255:TypeBit+8],
                        selected_i && first_i ? gw_expether_pkg::TypeParameter : s_axis_tdata[TypeBit +: 8],
                        s_axis_tdata[TypeBit-1:0]};
  wire unused_user = s_axis_tuser[gw_expether_pkg::UserOptimised];
  wire [15:0]  checksum = gw_expether_pkg::amend(gw_expether_pkg::swap16(beat2_q.data[Checksum +: 16]),
                                                 TypeGrew);
  wire [255:0] data2 = {beat2_q.data[255:Checksum+16],
                        second2_q && selected2_q ? gw_expether_pkg::swap16(checksum)
                          : beat2_q.data[Checksum +: 16],
                        beat2_q.data[Checksum-1:0]};
  always_ff @(posedge clk_i) begin
    valid1_q <= issue_i && rst_ni;
    valid2_q <= valid1_q && rst_ni;
    valid3_q <= valid2_q && rst_ni;
    if (issue_i) begin
      first1_q    <= first_i;
      second1_q   <= second_i;
      selected1_q <= selected_i;
      beat1_q     <= {user0, s_axis_tlast, s_axis_tkeep, data0};
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
      beat3_q     <= {beat2_q.user, beat2_q.last, beat2_q.keep, data2};
    end
  end

  // 2. The queue. A selected frame waits until it is through the array.
  localparam int BeatBits = 192 + 1 + 32 + 256;
  (* ram_style = "block" *)       logic [BeatBits-1:0] queue_memory [0:255];
  // the first beat of a selected frame
  (* ram_style = "distributed" *) logic                hold_memory  [0:255];
  (* ram_style = "distributed" *) logic                last_memory  [0:255];
  logic [8:0]   write_q, read_q;
  beat_t        out_q;
  wire          waiting = hold_memory[read_q[7:0]] && done_i == loaded_i;
  assign load_o = (!m_axis_tvalid || m_axis_tready) && write_q != read_q && !waiting;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q       <= '0;
      read_q        <= '0;
      m_axis_tvalid <= 1'b0;
    end else begin
      write_q <= write_q + {8'd0, valid3_q};
      read_q  <= read_q + {8'd0, load_o};
      if (!m_axis_tvalid || m_axis_tready) m_axis_tvalid <= load_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid3_q) begin
      queue_memory[write_q[7:0]] <= beat3_q;
      hold_memory[write_q[7:0]]  <= first3_q && selected3_q;
      last_memory[write_q[7:0]]  <= beat3_q.last;
    end
    if (load_o) out_q <= queue_memory[read_q[7:0]];
  end

  // 3. New parameters, by frames.
  (* ram_style = "distributed" *) logic [1023:0] result_memory [0:63];
  always_ff @(posedge clk_i) begin
    if (round_done_i) begin
      for (int r = 0; r < Rounds; r++) begin
        if ({26'd0, round_i} == r) result_memory[place_i][Width*r +: Width] <= theta_i;
      end
    end
  end

  // 4. They take the place of the values after the output's register. Which beat is loaded is known from the
  // beat before it, that is, from the one in the register.
  logic          loaded_any_q;
  logic          out_last_q;      // out_q's, in a register that is earlier than the memory's
  logic [2:0]    out_index_q;     // of the beat in the register
  logic          out_selected_q;
  logic [1023:0] result_q;
  logic [5:0]    out_count_q;
  logic [1:0]    out_row_q;       // of the frame's values, and which of them are in the beat: at once with it
  logic [7:0]    out_replaces_q;
  wire  [2:0]    load_index    = !loaded_any_q || out_last_q ? 3'd0 : out_index_q == 3'd6 ? 3'd6
                                 : out_index_q + 3'd1;
  wire           load_selected = load_index == 3'd0 ? hold_memory[read_q[7:0]] : out_selected_q;
  wire  [1:0]    load_row      = load_index[1:0] - 2'd2;
  wire  [7:0]    load_replaces;   // a frame's count is there when its values come
  for (genvar i = 0; i < 8; i++) begin : gen_replaces
    localparam logic [2:0] Lane = i;
    assign load_replaces[i] = out_selected_q && load_index >= 3'd2 && load_index <= 3'd5
                              && {1'b0, load_row, Lane} < out_count_q;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) loaded_any_q <= 1'b0;
    else if (load_o) loaded_any_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (load_o) begin
      out_last_q     <= last_memory[read_q[7:0]];
      out_index_q    <= load_index;
      out_selected_q <= load_selected;
      out_row_q      <= load_row;
      out_replaces_q <= load_replaces;
      if (load_index == 3'd0 && load_selected) begin
        result_q    <= result_memory[loaded_i[5:0]];
        out_count_q <= count_i;
      end
    end
  end
  assign load_last_o = load_o && load_selected && last_memory[read_q[7:0]];

  wire [255:0] result_row = out_row_q == 2'd0 ? result_q[256*0 +: 256] : out_row_q == 2'd1
                            ? result_q[256*1 +: 256]
                          : out_row_q == 2'd2 ? result_q[256*2 +: 256] : result_q[256*3 +: 256];
  for (genvar i = 0; i < 8; i++) begin : gen_replace
    assign m_axis_tdata[32*i +: 32] = out_replaces_q[i] ? result_row[32*i +: 32] : out_q.data[32*i +: 32];
  end
  assign m_axis_tkeep = out_q.keep;
  assign m_axis_tlast = out_q.last;
  assign m_axis_tuser = out_q.user;
endmodule

`default_nettype wire
