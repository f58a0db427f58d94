// Counters wrap: of 32 bits, set to two below their end. Compressor, decompressor, and the switch, whose parser, queues and lookup count
// broadcast frames of two beats: three packets each leave them at 1. Aggregator and optimizer, whose counters tell what was done with
// which frame: each is there twice and sees the same frames, and the one whose counters were set is as much ahead at the end.
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

  // Gradient frames of three beats, eight values, to aggregators of two workers and sequence numbers 0 and 1, and to optimizers of four.
  localparam int Kinds = 8, Rounds = 4;
  function automatic [767:0] gradient(input [31:0] sequence_no, input [15:0] worker, input [31:0] iteration, input [15:0] of_group);
    logic [767:0] frame;
    logic [19:0]  sum;
    logic [16:0]  folded;
    frame = 768'd0;
    frame[8*gw_expether_pkg::TpidByte +: 16]      = gw_expether_pkg::swap16(gw_expether_pkg::Tpid);
    frame[8*gw_expether_pkg::EtherTypeByte +: 16] = gw_expether_pkg::swap16(gw_expether_pkg::EtherType);
    frame[8*gw_expether_pkg::VersionByte +: 8]    = gw_expether_pkg::Version;
    frame[8*gw_expether_pkg::TypeByte +: 8]       = gw_expether_pkg::TypeGradient;
    frame[8*gw_expether_pkg::CountByte +: 8]      = 8'd8;
    frame[8*gw_expether_pkg::SequenceByte +: 32]  = gw_expether_pkg::swap32(sequence_no);
    frame[8*gw_expether_pkg::WorkerByte +: 16]    = gw_expether_pkg::swap16(worker);
    frame[8*gw_expether_pkg::GroupByte +: 16]     = gw_expether_pkg::swap16(of_group);
    frame[8*gw_expether_pkg::IterationByte +: 32] = gw_expether_pkg::swap32(iteration);
    sum    = gw_expether_pkg::header_sum(frame[8*gw_expether_pkg::ControlByte +: 112])
             + gw_expether_pkg::header_sum(frame[8*gw_expether_pkg::GroupByte +: 112]);
    folded = {1'b0, sum[15:0]} + {13'd0, sum[19:16]};
    frame[8*gw_expether_pkg::ChecksumByte +: 16]  = gw_expether_pkg::swap16(~(folded[15:0] + {15'd0, folded[16]}));
    frame[8*gw_expether_pkg::Tlp4Byte +: 32]      = {8'd8, 16'd0, gw_expether_pkg::TlpMWr64};  // its length, in words, is big-endian
    gradient = frame;
  endfunction
  function automatic [767:0] gradient_of(input [31:0] kind, input [31:0] iteration);
    case (kind)
      32'd0, 32'd1: gradient_of = gradient(32'd0, 16'd0, iteration, 16'd1);          // first; duplicate, which waits for it
      32'd2:        gradient_of = gradient(32'd0, 16'd1, iteration, 16'd1);          // added, complete
      32'd3:        gradient_of = gradient(32'd0, 16'd0, iteration - 32'd1, 16'd1);  // stale
      32'd4:        gradient_of = gradient(32'd9, 16'd0, iteration, 16'd1);          // out of range
      32'd5:        gradient_of = gradient(32'd0, 16'd5, iteration, 16'd1);          // no such worker
      32'd6:        gradient_of = gradient(32'd0, 16'd0, iteration, 16'd2);          // another group
      default:      gradient_of = gradient(32'd1, 16'd0, iteration, 16'd1);          // never complete: abandoned in the next round
    endcase
  endfunction
  for (genvar device = 0; device < 2; device++) begin : gen_gradients  // aggregators; optimizers
    logic [1:0]  beat_q;
    int          frame_q;
    wire  [1:0]  taken;
    wire [767:0] frame  = gradient_of(frame_q % Kinds, 32'd5 + frame_q / Kinds);
    wire [255:0] beat   = frame[256*beat_q +: 256];
    wire         offers = run && frame_q < Kinds * Rounds;
    always_ff @(posedge clk) begin
      if (!run) begin
        beat_q  <= 2'd0;
        frame_q <= 0;
      end else if (offers && (&taken)) begin
        beat_q  <= beat_q == 2'd2 ? 2'd0 : beat_q + 2'd1;
        frame_q <= frame_q + (beat_q == 2'd2 ? 1 : 0);
      end
    end
  end
  wire [22*32-1:0] aggregated [0:1];
  wire [16*32-1:0] optimised  [0:1];
  for (genvar i = 0; i < 2; i++) begin : gen_twin  // the counters of the second are set
    gw_aggregator #(.DepthLog2(2)) u_aggregator (
      .aclk(clk), .aresetn(rst_n), .workers_i(5'd2), .group_i(16'd1), .depth_i(3'd2),
      .s_axis_tdata(gen_gradients[0].beat), .s_axis_tkeep({32{1'b1}}), .s_axis_tvalid(gen_gradients[0].offers),
      .s_axis_tready(gen_gradients[0].taken[i]), .s_axis_tlast(gen_gradients[0].beat_q == 2'd2), .s_axis_tuser(2'd0), .m_axis_tdata(),
      .m_axis_tkeep(), .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tlast(), .m_axis_tuser(), .stat_o(aggregated[i])
    );
    gw_optimizer #(.Pes(1), .Fast(1'b1), .DepthLog2(2)) u_optimizer (
      .aclk(clk), .aresetn(rst_n), .cfg_valid_i(1'b0), .cfg_address_i(32'd0), .cfg_data_i(32'd0),
      .s_axis_tdata(gen_gradients[1].beat), .s_axis_tkeep({32{1'b1}}), .s_axis_tvalid(gen_gradients[1].offers),
      .s_axis_tready(gen_gradients[1].taken[i]), .s_axis_tlast(gen_gradients[1].beat_q == 2'd2), .s_axis_tuser(2'd0), .m_axis_tdata(),
      .m_axis_tkeep(), .m_axis_tvalid(), .m_axis_tready(1'b1), .m_axis_tlast(), .m_axis_tuser(), .stat_o(optimised[i])
    );
  end
  logic set = 1'b0;
  for (genvar i = 0; i < 10; i++) begin : gen_set
    always @(posedge set) gen_twin[1].u_aggregator.u_aggregation.gen_stat[i].count_q = Start;
  end
  always @(posedge set) begin
    gen_twin[1].u_optimizer.u_optimization.optimised_q    = Start;
    gen_twin[1].u_optimizer.u_optimization.out_of_range_q = Start;
    gen_twin[1].u_optimizer.u_optimization.iterations_q   = Start;
    gen_twin[1].u_optimizer.u_optimization.interlock_q    = Start;
  end
  task automatic check_twin(input string name, input int number, input [31:0] count, input [31:0] ahead);
    if (!(count >= 32'd2) || ahead !== Start + count) begin
      failed = failed + 1;
      $display("FAIL %s %0d: %h, %h if set", name, number, count, ahead);
    end
  endtask

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
    set = 1'b1;
    run = 1'b1;
    repeat (1500) @(negedge clk);
    check("compressor's errors", encoded_errors);
    check("decompressor's errors", decoded_errors);
    check("parser's frames that are not ExpEther", stat[31:0]);
    check("frames received by port 0", stat[32*26 +: 32]);
    check("frames sent by port 1", stat[32*(26 + 4 + 2) +: 32]);
    check("frames flooded", stat[32*42 +: 32]);
    for (int i = 12; i < 22; i++) check_twin("aggregator's count", i, aggregated[0][32*i +: 32], aggregated[1][32*i +: 32]);
    for (int i = 12; i < 16; i++) check_twin("optimizer's count", i, optimised[0][32*i +: 32], optimised[1][32*i +: 32]);
    if (failed == 0) $display("PASS");
    $finish(0);
  end
endmodule

`default_nettype wire
