// Counters wrap: of 32 bits, set to two below their end, three packets each leave them at 1. Compressor, decompressor, and the switch,
// whose parser, queues and lookup count broadcast frames of two beats.
`timescale 1ns / 1ps
`default_nettype none

module gw_wrap_tb;
  localparam logic [31:0] Start = 32'hFFFF_FFFE;
  localparam logic [1:0] Packets = 2'd3;
  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = ~clk;

  int failed = 0;
  task automatic check(input string name, input [31:0] count);
    if (count !== 32'd1) begin
      failed = failed + 1;
      $display("FAIL %s: %h", name, count);
    end
  endtask

  // A source for each device: packets of two beats.
  logic       run = 1'b0;
  wire  [2:0] ready;
  wire  [2:0] valid, last;
  for (genvar i = 0; i < 3; i++) begin : gen_source
    logic       last_q;
    logic [1:0] left_q;  // packets
    assign valid[i] = run && left_q != 2'd0;
    assign last[i]  = last_q;
    always_ff @(posedge clk) begin
      if (!run) begin
        last_q <= 1'b0;
        left_q <= Packets;
      end else if (valid[i] && ready[i]) begin
        last_q <= ~last_q;
        left_q <= left_q - {1'b0, last_q};
      end
    end
  end

  wire [31:0] encoded_errors, decoded_errors;
  gw_compressor u_compressor (
    .aclk(clk), .aresetn(rst_n), .bound_i(4'd10), .bounded_i(1'b1), .s_axis_tdata(256'd0), .s_axis_tkeep(32'hFFFF_FFFF),
    .s_axis_tvalid(valid[0]), .s_axis_tready(ready[0]), .s_axis_tlast(last[0]), .s_axis_tuser(1'b1), .m_axis_tdata(), .m_axis_tkeep(),
    .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tlast(), .m_axis_tuser(), .error_count_o(encoded_errors)
  );
  gw_decompressor u_decompressor (
    .aclk(clk), .aresetn(rst_n), .bound_i(4'd10), .bounded_i(1'b1), .s_axis_tdata(256'd0), .s_axis_tkeep(32'hFFFF_FFFF),
    .s_axis_tvalid(valid[1]), .s_axis_tready(ready[1]), .s_axis_tlast(last[1]), .s_axis_tuser(1'b1), .m_axis_tdata(), .m_axis_tkeep(),
    .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tlast(), .m_axis_tuser(), .error_count_o(decoded_errors)
  );
  wire [3:0]       switch_ready;
  wire [44*32-1:0] stat;
  assign ready[2] = switch_ready[0];
  gw_switch #(.Pes(1), .Fast(1'b1), .DepthLog2(2)) u_switch (
    .aclk(clk), .aresetn(rst_n), .workers_i(5'd1), .group_i(16'd0), .depth_i(3'd4), .cfg_valid_i(1'b0), .cfg_address_i(32'd0),
    .cfg_data_i(32'd0), .s_axis_tdata({976'd0, 48'hFFFF_FFFF_FFFF}), .s_axis_tkeep({128{1'b1}}), .s_axis_tvalid({3'd0, valid[2]}),
    .s_axis_tready(switch_ready), .s_axis_tlast({3'd0, last[2]}), .s_axis_tuser(4'd0), .m_axis_tdata(), .m_axis_tkeep(),
    .m_axis_tvalid(), .m_axis_tready(4'hF), .m_axis_tlast(), .event_o(), .stat_o(stat)
  );

  initial begin
    repeat (20) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    u_compressor.error_count_o = Start;
    u_decompressor.error_count_o = Start;
    u_switch.u_core.u_parser.gen_stat[0].count_q = Start;
    u_switch.u_core.gen_stat[0].rx_q = Start;
    u_switch.u_core.gen_stat[1].tx_q = Start;
    u_switch.u_core.u_lookup.flooded_o = Start;
    run = 1'b1;
    repeat (400) @(negedge clk);
    check("compressor's errors", encoded_errors);
    check("decompressor's errors", decoded_errors);
    check("parser's frames that are not ExpEther", stat[31:0]);
    check("frames received by port 0", stat[32*26 +: 32]);
    check("frames sent by port 1", stat[32*(26 + 4 + 2) +: 32]);
    check("frames flooded", stat[32*42 +: 32]);
    if (failed == 0) $display("PASS");
    $finish(0);
  end
endmodule

`default_nettype wire
