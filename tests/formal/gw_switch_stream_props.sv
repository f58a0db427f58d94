// gw_switch_core between its ports: gw_stream_rules around each output, for any frames of 2 to 8 beats at any pace on each input, any
// sinks and resets. Parser, aggregation, optimization and lookup are stand-ins (gw_switch_blocks_free) that hold a frame up as they like
// and send it where they like, but not to the port that it came in by; a beat says by its data which one that was.
`include "gw_assert.svh"
`default_nettype none

module gw_switch_stream_props #(
  parameter int Silence = 5  // cycles in which no beat moves on, though a frame is in whole
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [3:0]  valid_i,
  input wire logic [3:0]  last_i,
  input wire logic [3:0]  bad_i,
  input wire logic [19:0] pad_i,
  input wire logic [3:0]  ready_i,
  input wire logic        drain_i
);
  wire [1023:0] s_data, m_data;
  wire [127:0]  s_keep, m_keep;
  wire [3:0]    s_ready, m_valid, m_last;
  wire [18:0]   happened;
  wire [1407:0] unused_stat;
  wire [31:0]   unused_word;
  wire          idle, unused_clearing;
  gw_switch_core #(.Pes(1), .DepthLog2(1)) u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .workers_i(5'd1), .group_i(16'd0), .depth_i(2'd2), .cfg_valid_i(1'b0), .cfg_address_i(32'd0),
    .cfg_data_i(32'd0), .s_axis_tdata(s_data), .s_axis_tkeep(s_keep), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready),
    .s_axis_tlast(last_i), .s_axis_tuser(bad_i), .m_axis_tdata(m_data), .m_axis_tkeep(m_keep), .m_axis_tvalid(m_valid),
    .m_axis_tready(ready_i), .m_axis_tlast(m_last), .event_o(happened), .stat_o(unused_stat), .job_reset_i(1'b0),
    .cfg_restore_i(1'b0), .cfg_read_i(1'b0), .cfg_data_o(unused_word), .drain_i(drain_i), .idle_o(idle),
    .clearing_o(unused_clearing)
  );
  wire [3:0] tx_committed = happened[14:11];
  wire [1:0] covers [0:3];
  wire [3:0] home;
  for (genvar p = 0; p < 4; p++) begin : gen_port
    localparam logic [1:0] Own = p;
    assign s_data[256*p +: 256] = {254'd0, Own};
    assign s_keep[32*p +: 32]   = 32'hFFFF_FFFF >> (pad_i[5*p +: 5] & {5{last_i[p]}});
    gw_stream_rules #(.Bits(2), .Silence(1)) u_rules (
      .clk_i, .aresetn(rst_ni), .s_stalls_i(1'b0), .s_ends_i(tx_committed[p]), .m_valid_i(m_valid[p]), .m_ready_i(ready_i[p]),
      .m_last_i(m_last[p]), .m_keep_i(m_keep[32*p +: 32]), .m_bits_i(m_data[256*p +: 2]), .covers_o(covers[p])
    );
    assign home[p] = m_valid[p] && m_data[256*p +: 2] == Own;
  end
  `GW_ASSERT(NotWhereItCameFrom, home == 4'd0)

  // Frames that are whole in a receive queue or behind one, and have not come out of the optimization: some beat of them moves on, to the
  // parser, from block to block, or out. None goes back, so that each comes out in the end.
  wire        serve, parsed_valid, parsed_ready, summed_valid, summed_ready, out_valid, out_last;  // u_dut's
  wire        moves = serve || (parsed_valid && parsed_ready) || (summed_valid && summed_ready) || out_valid;
  logic [5:0] within_q, silence_q;
  wire  [5:0] came = {5'd0, happened[3]} + {5'd0, happened[4]} + {5'd0, happened[5]} + {5'd0, happened[6]};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      within_q  <= '0;
      silence_q <= '0;
    end else begin
      within_q  <= within_q + came - {5'd0, out_valid && out_last};
      silence_q <= moves || drain_i || within_q == 6'd0 ? 6'd0 : silence_q + 6'd1;
    end
  end
  `GW_ASSERT(NoneIsStuck, {26'd0, silence_q} <= Silence)
  `GW_ASSERT(NoneIsMadeUp, !(out_valid && out_last) || within_q != 6'd0)
  `GW_ASSERT(IdleIsIdle, !idle || !out_valid)
  wire unused = ^s_ready;
`ifdef GW_REACH
  // A frame leaves by port 3; two by one port; by three ports in one cycle.
  wire [2:0] all_covers = {m_valid == 4'b1011, covers[3]};
  gw_never u_never [$bits(all_covers)-1:0] (.clk_i, .rst_ni, .seen_i(all_covers));
`endif
endmodule

`default_nettype wire
