// Packets of quantised gradients in, binary32 values out: every format and coding; the header says which.
// Latency 8 cycles from the beat that completes an output beat; a beat a cycle, Rice two entries a cycle.
// Anoosheh et al. (thresholds), Dryden et al. (one-bit, adaptive), OCP MX v1.0; ports and cycle contract: docs/devices/dequantizer.md.
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [19:0]  limit_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [287:0]      malformed_count_o,
  output logic [31:0]       error_count_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  logic [1:0]   leave, word, place;
  logic         some, last, ended, input_error;
  logic [9:0]   bits;
  logic [7:0]   status;
  logic [6:0]   reason;
  logic [108:0] fields;
  logic [319:0] words;
  gw_dequantizer_buffer u_buffer (
    .clk_i, .rst_ni, .limit_i, .valid_i(s_axis_tvalid), .ready_o(s_axis_tready), .data_i(s_axis_tdata), .keep_i(s_axis_tkeep),
    .last_i(s_axis_tlast), .user_i(s_axis_tuser), .leave_i(leave), .word_i(word), .some_o(some), .last_o(last), .end_o(ended),
    .place_o(place), .bits_o(bits), .status_o(status), .user_o(input_error), .reason_o(reason), .context_o(fields), .words_o(words)
  );

  logic [5:0]  used_q;
  logic [5:0]  shift;
  logic        emit, error, final_beat, user, opens, empty;
  logic [8:0]  malformed;
  logic [3:0]  take;
  logic [11:0] entry_one, entry_two;
  gw_dequantizer_step u_step (
    .clk_i, .rst_ni, .credit_i(~used_q[5]), .some_i(some), .last_i(last), .end_i(ended), .place_i(place), .bits_i(bits),
    .status_i(status), .user_i(input_error), .reason_i(reason), .context_i(fields), .words_i(words[191:0]), .word_o(word),
    .leave_o(leave), .shift_o(shift), .emit_o(emit), .error_o(error), .final_o(final_beat), .user_o(user), .opens_o(opens),
    .empty_o(empty), .malformed_o(malformed), .take_o(take), .entry_one_o(entry_one), .entry_two_o(entry_two)
  );

  logic         valid;
  logic [9:0]   beat_end;
  logic [255:0] beat;
  gw_dequantizer_values u_values (
    .clk_i, .rst_ni, .emit_i(emit), .error_i(error), .final_i(final_beat), .user_i(user), .opens_i(opens), .empty_i(empty),
    .take_i(take), .entry_one_i(entry_one), .entry_two_i(entry_two), .context_i(fields), .words_i(words), .bytes_i(shift[5:3]),
    .valid_o(valid), .end_o(beat_end), .data_o(beat)
  );
  wire unused_shift = ^shift[2:0];

  logic       room;
  logic [7:0] lanes;
  gw_fifo #(.Width(266), .DepthLog2(5)) u_queue (
    .clk_i, .rst_ni, .s_valid_i(valid), .s_ready_o(room), .s_data_i({beat_end, beat}), .m_valid_o(m_axis_tvalid), .m_ready_i(m_axis_tready),
    .m_data_o({m_axis_tuser, m_axis_tlast, lanes, m_axis_tdata})
  );
  for (genvar i = 0; i < 8; i++) begin : gen_keep
    assign m_axis_tkeep[4*i +: 4] = {4{lanes[i]}};
  end

  wire leaves = m_axis_tvalid & m_axis_tready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q        <= '0;
      error_count_o <= '0;
    end else begin
      used_q <= used_q + {5'd0, emit} - {5'd0, leaves};
      if (leaves & m_axis_tlast & m_axis_tuser) error_count_o <= error_count_o + 32'd1;
    end
  end
  for (genvar i = 0; i < 9; i++) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (!rst_ni) malformed_count_o[32*i +: 32] <= '0;
      else if (malformed[i]) malformed_count_o[32*i +: 32] <= malformed_count_o[32*i +: 32] + 32'd1;
    end
  end

  `GW_ASSERT(CreditHolds, used_q <= 6'd32)
  `GW_ASSERT(RoomForWhatIsEmitted, !valid || room)
  `GW_COVER(CreditRunsOut, used_q[5])
  `GW_COVER(PacketInErrorLeaves, leaves && m_axis_tlast && m_axis_tuser)
endmodule

`default_nettype wire
