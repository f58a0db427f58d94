// Four-port 10GbE switch that aggregates gradients and runs the optimizer on them.
// One beat a cycle through all of it; contract in docs/devices/switch.md.
// Optimizer switch (IEICE'21) section 5.1, Figure 11.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// With ports for a register block; gw_switch has the raw pins only.
module gw_switch_core #(
  parameter int Algorithm = 0,
  parameter int Pes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  parameter int AddLatency = 5,
  parameter int DepthLog2 = 10
) (
  input  wire logic           aclk,
  input  wire logic           aresetn,
  input  wire logic [4:0]     workers_i,
  input  wire logic [15:0]    group_i,
  input  wire logic [DepthLog2:0] depth_i,
  input  wire logic           cfg_valid_i,
  input  wire logic [31:0]    cfg_address_i,
  input  wire logic [31:0]    cfg_data_i,
  input  wire logic [1023:0]  s_axis_tdata,
  input  wire logic [127:0]   s_axis_tkeep,
  input  wire logic [3:0]     s_axis_tvalid,
  output logic [3:0]          s_axis_tready,
  input  wire logic [3:0]     s_axis_tlast,
  input  wire logic [3:0]     s_axis_tuser,
  output logic [1023:0]       m_axis_tdata,
  output logic [127:0]        m_axis_tkeep,
  output logic [3:0]          m_axis_tvalid,
  input  wire logic [3:0]     m_axis_tready,
  output logic [3:0]          m_axis_tlast,
  output logic [18:0]         event_o,
  output logic [44*32-1:0]    stat_o,
  // For a register block: the optimizer's and the aggregator's, drain, idle.
  input  wire logic           job_reset_i,
  input  wire logic           cfg_restore_i,
  input  wire logic           cfg_read_i,
  output logic [31:0]         cfg_data_o,
  input  wire logic           drain_i,       // no port requests the arbiter's service
  output logic                idle_o,        // no frame is between the arbiter and the output queues
  output logic                clearing_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // RX queues. A MAC cannot wait: they are always ready, but in reset.
  wire [1023:0] rx_data;
  wire [127:0]  rx_keep;
  wire [3:0]    rx_valid, rx_last, rx_take, rx_more, rx_committed, rx_dropped;
  logic         ready_q;
  always_ff @(posedge clk_i) ready_q <= rst_ni;
  assign s_axis_tready = {4{ready_q}};
  for (genvar p = 0; p < 4; p++) begin : gen_rx
    gw_packet_queue #(.Rx(1'b1)) u_queue (
      .clk_i, .rst_ni,
      .offered_i   (s_axis_tvalid[p]),
      .s_valid_i   (s_axis_tvalid[p] && ready_q),
      .s_data_i    (s_axis_tdata[256*p +: 256]),
      .s_keep_i    (s_axis_tkeep[32*p +: 32]),
      .s_last_i    (s_axis_tlast[p]),
      .s_bad_i     (s_axis_tuser[p]),
      .m_valid_o   (rx_valid[p]),
      .m_ready_i   (rx_take[p]),
      .m_data_o    (rx_data[256*p +: 256]),
      .m_keep_o    (rx_keep[32*p +: 32]),
      .m_last_o    (rx_last[p]),
      .more_o      (rx_more[p]),
      .committed_o (rx_committed[p]),
      .dropped_o   (rx_dropped[p])
    );
  end

  // Input Arbiter.
  wire       active;
  wire [1:0] port;
  wire       parser_ready;
  wire       serve      = active && rx_valid[port] && parser_ready;
  wire       serve_last = serve && rx_last[port];
  gw_arbiter u_arbiter (
    .clk_i, .rst_ni,
    .valid_i  (rx_valid & {4{!drain_i}}),
    .more_i   (rx_more & {4{!drain_i}}),
    .last_i   (serve_last),
    .active_o (active),
    .port_o   (port)
  );
  for (genvar p = 0; p < 4; p++) begin : gen_take
    assign rx_take[p] = active && {30'd0, port} == p && rx_valid[p] && parser_ready;
  end
  wire [255:0] served_data = port == 2'd0 ? rx_data[255:0] : port == 2'd1 ? rx_data[511:256]
                           : port == 2'd2 ? rx_data[767:512] : rx_data[1023:768];
  wire [31:0]  served_keep = port == 2'd0 ? rx_keep[31:0] : port == 2'd1 ? rx_keep[63:32]
                           : port == 2'd2 ? rx_keep[95:64] : rx_keep[127:96];

  // Parser, Gradient Aggregation, Parameter Optimization.
  wire [255:0] parsed_data, summed_data, out_data;
  wire [31:0]  parsed_keep, summed_keep, out_keep;
  wire         parsed_valid, summed_valid, out_valid, parsed_ready, summed_ready, parsed_last, summed_last,
    out_last;
  wire         summed_selected;
  wire [191:0] parsed_user, summed_user, out_user;
  gw_parser u_parser (
    .aclk, .aresetn,
    .s_axis_tdata  (served_data),
    .s_axis_tkeep  (served_keep),
    .s_axis_tvalid (active && rx_valid[port]),
    .s_axis_tready (parser_ready),
    .s_axis_tlast  (rx_last[port]),
    .s_axis_tuser  (port),
    .m_axis_tdata  (parsed_data),
    .m_axis_tkeep  (parsed_keep),
    .m_axis_tvalid (parsed_valid),
    .m_axis_tready (parsed_ready),
    .m_axis_tlast  (parsed_last),
    .m_axis_tuser  (parsed_user),
    .stat_o        (stat_o[12*32-1:0])
  );
  gw_aggregation #(.DepthLog2(DepthLog2), .AddLatency(AddLatency), .Subnormal(Subnormal)) u_aggregation (
    .aclk, .aresetn, .workers_i, .group_i, .depth_i,
    .s_axis_tdata  (parsed_data),
    .s_axis_tkeep  (parsed_keep),
    .s_axis_tvalid (parsed_valid),
    .s_axis_tready (parsed_ready),
    .s_axis_tlast  (parsed_last),
    .s_axis_tuser  (parsed_user),
    .m_axis_tdata  (summed_data),
    .m_axis_tkeep  (summed_keep),
    .m_axis_tvalid (summed_valid),
    .m_axis_tready (summed_ready),
    .m_axis_tlast  (summed_last),
    .m_axis_tuser  (summed_user),
    .m_selected_o  (summed_selected),
    .stat_o        (stat_o[22*32-1:12*32]),
    .job_reset_i, .clearing_o
  );
  gw_optimization #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside),
    .DepthLog2(DepthLog2)
  ) u_optimization (
    .aclk, .aresetn, .cfg_valid_i, .cfg_address_i, .cfg_data_i,
    .s_axis_tdata  (summed_data),
    .s_axis_tkeep  (summed_keep),
    .s_axis_tvalid (summed_valid),
    .s_axis_tready (summed_ready),
    .s_axis_tlast  (summed_last),
    .s_axis_tuser  (summed_user),
    .s_selected_i  (summed_selected),
    .m_axis_tdata  (out_data),
    .m_axis_tkeep  (out_keep),
    .m_axis_tvalid (out_valid),
    .m_axis_tready (1'b1),
    .m_axis_tlast  (out_last),
    .m_axis_tuser  (out_user),
    .stat_o        (stat_o[26*32-1:22*32]),
    .job_reset_i, .cfg_restore_i, .cfg_read_i, .cfg_data_o
  );

  // Output Port Lookup, beside them: the frames stay in order, and so do their ports.
  logic       parsed_first_q, out_first_q, served_first_q;
  wire        route_valid, mask_valid, mask_room;
  wire  [3:0] route, next_mask;
  logic [3:0] mask_q;
  wire  [3:0] mask = out_first_q ? next_mask : mask_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      served_first_q <= 1'b1;
      parsed_first_q <= 1'b1;
      out_first_q    <= 1'b1;
    end else begin
      if (serve) served_first_q <= rx_last[port];
      if (parsed_valid && parsed_ready) parsed_first_q <= parsed_last;
      if (out_valid) out_first_q <= out_last;
    end
  end
  always_ff @(posedge clk_i) if (out_valid) mask_q <= mask;
  gw_lookup u_lookup (
    .clk_i, .rst_ni,
    .offered_i  (parsed_valid && parsed_first_q),
    .first_i    (parsed_valid && parsed_ready && parsed_first_q),
    .data_i     (parsed_data),
    .port_i     (parsed_user[gw_expether_pkg::UserPort +: 2]),
    .valid_o    (route_valid),
    .mask_o     (route),
    .flooded_o  (stat_o[42*32 +: 32]),
    .filtered_o (stat_o[43*32 +: 32])
  );
  gw_fifo #(.Width(4), .DepthLog2(8)) u_routes (
    .clk_i, .rst_ni, .s_valid_i(route_valid), .s_ready_o(mask_room), .s_data_i(route),
    .m_valid_o(mask_valid), .m_ready_i(out_valid && out_first_q), .m_data_o(next_mask)
  );

  // Output Queues.
  wire [3:0] tx_committed, tx_dropped, tx_more;
  for (genvar p = 0; p < 4; p++) begin : gen_tx
    gw_packet_queue u_queue (
      .clk_i, .rst_ni,
      .offered_i   (1'b0),
      .s_valid_i   (out_valid && mask[p]),
      .s_data_i    (out_data),
      .s_keep_i    (out_keep),
      .s_last_i    (out_last),
      .s_bad_i     (1'b0),
      .m_valid_o   (m_axis_tvalid[p]),
      .m_ready_i   (m_axis_tready[p]),
      .m_data_o    (m_axis_tdata[256*p +: 256]),
      .m_keep_o    (m_axis_tkeep[32*p +: 32]),
      .m_last_o    (m_axis_tlast[p]),
      .more_o      (tx_more[p]),
      .committed_o (tx_committed[p]),
      .dropped_o   (tx_dropped[p])
    );
  end

  // What happened.
  wire served = serve && served_first_q;
  assign event_o = {tx_dropped, tx_committed, rx_dropped, rx_committed, port & {2{served}}, served};
  for (genvar p = 0; p < 4; p++) begin : gen_stat
    logic [31:0] rx_q, rx_drop_q, tx_q, tx_drop_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        rx_q      <= '0;
        rx_drop_q <= '0;
        tx_q      <= '0;
        tx_drop_q <= '0;
      end else begin
        rx_q      <= rx_q + {31'd0, rx_committed[p]};
        rx_drop_q <= rx_drop_q + {31'd0, rx_dropped[p]};
        tx_q      <= tx_q + {31'd0, tx_committed[p]};
        tx_drop_q <= tx_drop_q + {31'd0, tx_dropped[p]};
      end
    end
    assign stat_o[32*(26+4*p) +: 128] = {tx_drop_q, tx_q, rx_drop_q, rx_q};
  end

  // Frames served and not yet in the output queues.
  logic [9:0] within_q;
  assign idle_o = within_q == 10'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) within_q <= '0;
    else within_q <= within_q + {9'd0, served} - {9'd0, out_valid && out_last};
  end

  wire unused_out = ^{out_user, tx_more};
  `GW_ASSERT(FramesHaveRoutes, !(out_valid && out_first_q) || mask_valid)
  `GW_ASSERT(LeavesWhatCameIn, !(out_valid && idle_o))
  `GW_ASSERT(RoutesFindRoom, !route_valid || mask_room)
  `GW_COVER(FourFramesAtOnce, &rx_committed)
  `GW_COVER(LeavesByNoPort, out_valid && out_first_q && mask == 4'd0)
  `GW_COVER(LeavesByThreePorts, out_valid && out_first_q
            && (mask == 4'd7 || mask == 4'd11 || mask == 4'd13 || mask == 4'd14))
  `GW_COVER(DroppedByOneOfThree, (tx_dropped != 4'd0) && (tx_committed != 4'd0))
  `GW_COVER(ParserWaits, active && rx_valid[port] && !parser_ready)
endmodule

`default_nettype wire
