// Takes the host's packets as chunks into the gradient bank, as far as there is room.
// A beat accepted in t is written in t+1; `loading` counts from t+1 on, `loaded_o` from t+2.
// Ring allreduce in the NIC (NTT); rule Host in of docs/devices/ring_nic.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_ring_host_in #(
  parameter int          SlotsLog2 = 7,
  parameter int          BeatsLog2 = 5,
  parameter logic [31:0] First = 32'd0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         stop_i,      // an error: nothing more is taken
  input  wire logic [31:0]  limit_i,     // there is room for chunks below it
  input  wire logic [511:0] s_axis_tdata,
  input  wire logic [63:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  output logic              write_o,     // a beat goes to the bank
  output logic [16:0]       place_o,
  output logic [511:0]      data_o,
  output logic              whole_o,     // chunk loaded_o of words_o words is in
  output logic [11:0]       words_o,
  output logic [31:0]       loaded_o,
  output logic              wrong_o,     // it is no chunk
  output logic              accepted_o   // a packet was accepted
);
  localparam logic [7:0] Beats = 8'd1 << BeatsLog2;

  // 1. Take in.
  logic [31:0] loading_q;
  logic [7:0]  index_q, index1_q;  // beat: the next one's, this one's; stays above Beats
  logic [6:0]  count1_q;
  logic        valid1_q, last1_q;
  assign s_axis_tready = !gw_ring_pkg::near_same(loading_q, limit_i) && !stop_i;
  wire accept = s_axis_tvalid & s_axis_tready;
  assign accepted_o = accept & s_axis_tlast;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loading_q <= First;
      index_q   <= '0;
      valid1_q  <= 1'b0;
    end else begin
      valid1_q <= accept;
      if (accepted_o) loading_q <= loading_q + 32'd1;
      if (accept) index_q <= s_axis_tlast ? 8'd0 : index_q > Beats ? index_q : index_q + 8'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      data_o   <= s_axis_tdata;
      last1_q  <= s_axis_tlast;
      count1_q <= s_axis_tlast ? gw_ring_pkg::count_bytes(s_axis_tkeep) : 7'd64;
      index1_q <= index_q;
    end
  end

  // 2. Write, and judge the chunk with its last beat: 4..C bytes, a multiple of 4.
  wire [7:0]  whole_beats = index1_q + {7'd0, count1_q[6]};
  wire [13:0] bytes       = {whole_beats, count1_q[5:0]};
  wire        wrong       = whole_beats > Beats || (whole_beats == Beats && count1_q[5:0] != 6'd0)
                            || bytes[1:0] != 2'd0 || bytes == 14'd0;
  assign write_o = valid1_q & (index1_q < Beats);
  assign place_o = gw_ring_pkg::place(loaded_o, index1_q[6:0], SlotsLog2, BeatsLog2);
  assign whole_o = valid1_q & last1_q;
  assign words_o = bytes[13:2];
  assign wrong_o = whole_o & wrong;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) loaded_o <= First;
    else if (whole_o) loaded_o <= loaded_o + 32'd1;
  end

  `GW_ASSERT(RoomForWhatIsTaken, !gw_ring_pkg::below(limit_i, loading_q))
endmodule

`default_nettype wire
