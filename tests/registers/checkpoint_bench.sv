// A run of the optimizer that is stopped, read out, loaded into a fresh device and continued equals one that was not; and a job's reset.
// Both devices get the same frames; what leaves must be equal beat by beat. The second one is changed for a fresh one twice: between two
// iterations, and within one, when its hyperparameters have been written anew but do not count yet.
`default_nettype none
`timescale 1ns / 1ps

module bench;
`ifndef ALGORITHM
  `define ALGORITHM 2
`endif
  localparam int Algorithm = `ALGORITHM;
  localparam int States    = gw_optimizer_pkg::states(Algorithm);
  localparam int Sequences = 2;
  localparam [27:0] Cells  = 28'h800_0000;
  bit clk;
  always #1 clk = !clk;

  // Device 0 is never stopped; devices 1, 2, 3 take over from one another.
  reg  [3:0]   rst_n = 0;
  reg  [27:0]  address = 0;
  reg  [31:0]  wdata = 0;
  reg  [3:0]   writes = 0, reads = 0;  // to which device
  wire [3:0]   awready, bvalid, arready, rvalid, tready, out_valid, out_last;
  wire [7:0]   bresp, rresp;
  wire [127:0] rdata;
  wire [1023:0] out_data;
  reg  [255:0] tdata = 0;
  reg  [31:0]  tkeep = 0;
  reg          tlast = 0;
  reg  [3:0]   tvalid = 0;
  for (genvar d = 0; d < 4; d++) begin : gen_device
    gw_optimizer_axil #(.Algorithm(Algorithm), .Pes(2), .Fast(1'b1), .DepthLog2(1)) u_dut (
      .aclk(clk), .aresetn(rst_n[d]),
      .s_axil_awaddr(address), .s_axil_awprot(3'd0), .s_axil_awvalid(writes[d]), .s_axil_awready(awready[d]),
      .s_axil_wdata(wdata), .s_axil_wstrb(4'hF), .s_axil_wvalid(writes[d]), .s_axil_wready(),
      .s_axil_bresp(bresp[2*d +: 2]), .s_axil_bvalid(bvalid[d]), .s_axil_bready(1'b1),
      .s_axil_araddr(address), .s_axil_arprot(3'd0), .s_axil_arvalid(reads[d]), .s_axil_arready(arready[d]),
      .s_axil_rdata(rdata[32*d +: 32]), .s_axil_rresp(rresp[2*d +: 2]), .s_axil_rvalid(rvalid[d]), .s_axil_rready(1'b1),
      .s_axis_tdata(tdata), .s_axis_tkeep(tkeep), .s_axis_tvalid(tvalid[d]), .s_axis_tready(tready[d]), .s_axis_tlast(tlast),
      .s_axis_tuser(2'd0),
      .m_axis_tdata(out_data[256*d +: 256]), .m_axis_tkeep(), .m_axis_tvalid(out_valid[d]), .m_axis_tready(1'b1),
      .m_axis_tlast(out_last[d]), .m_axis_tuser()
    );
  end

  int failed = 0, beats = 0, now = 1, left [0:3];
  reg [255:0] sent [0:3][0:4095];  // beats that left
  for (genvar d = 0; d < 4; d++) begin : gen_sent
    initial left[d] = 0;
    always @(posedge clk) begin
      if (rst_n[d] && out_valid[d]) begin
        sent[d][left[d]] = out_data[256*d +: 256];
        left[d] = left[d] + 1;
      end
    end
  end

  task step;
    @(negedge clk);
  endtask

  task write(input int d, input [27:0] at, input [31:0] value);
    address = at;
    wdata = value;
    while (!awready[d]) step;
    writes[d] = 1;
    step;
    writes[d] = 0;
    while (!bvalid[d]) step;
    if (bresp[2*d +: 2] != 0) begin
      $display("checkpoint: device %0d refuses %h", d, at);
      failed = failed + 1;
    end
    step;
  endtask

  reg [31:0] found;
  task read(input int d, input [27:0] at);
    address = at;
    while (!arready[d]) step;
    reads[d] = 1;
    step;
    reads[d] = 0;
    while (!rvalid[d]) step;
    found = rdata[32*d +: 32];
    if (rresp[2*d +: 2] != 0 || ^found === 1'bx) begin
      $display("checkpoint: device %0d, %h: %h", d, at, found);
      failed = failed + 1;
    end
    step;
  endtask

  // lr, eps, beta1, beta2, 1 - beta1, 1 - beta2, (1 - beta2) eps, a little other each time.
  task hyperparameters(input int d, input int which);
    write(d, 28'h40, which == 0 ? 32'h3A83126F : 32'h3B03126F);
    write(d, 28'h44, 32'h322BCC77);
    write(d, 28'h48, which == 0 ? 32'h3F666666 : 32'h3F600000);
    write(d, 28'h4C, 32'h3F7FBE77);
    write(d, 28'h50, which == 0 ? 32'h3DCCCCD0 : 32'h3E000000);
    write(d, 28'h54, 32'h3A831200);
    write(d, 28'h58, 32'h2D2FEBFF);
  endtask

  // A gradient frame of 192 bytes, to device 0 and to the one that is in use.
  reg [1535:0] frame;
  task put(input int at, input [7:0] value);
    frame[8*at +: 8] = value;
  endtask
  task send(input int sequence_no, input int iteration, input [3:0] to);
    reg [19:0] sum;
    reg [3:0]  waits;
    reg [31:0] draw;
    frame = '0;
    put(12, 8'h81);
    put(16, 8'h88);
    put(17, 8'hB5);
    put(18, 1);
    put(19, 1);
    put(21, 32);
    put(25, sequence_no[7:0]);
    put(33, 1);
    put(37, iteration[7:0]);
    sum = 0;
    for (int i = 18; i < 48; i = i + 2) sum = sum + {4'd0, frame[8*i +: 8], frame[8*i+8 +: 8]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    put(46, ~sum[15:8]);
    put(47, ~sum[7:0]);
    put(48, 8'h60);
    put(51, 32);
    for (int i = 0; i < 32; i++) begin
      draw = $random;
      frame[512 + 32*i +: 32] = {draw[31], 8'd110 + {4'd0, draw[30:27]}, draw[22:0]};
    end
    for (int b = 0; b < 6; b++) begin
      tdata = frame[256*b +: 256];
      tkeep = 32'hFFFF_FFFF;
      tlast = b == 5;
      waits = to;
      while (waits != 0) begin
        tvalid = waits;
        #0.5;
        waits = waits & ~tready;
        step;
      end
    end
    tvalid = 0;
  endtask

  task idle(input int d);
    write(d, 28'h10, 1);
    found = 0;
    while (!found[0]) read(d, 28'h14);
  endtask

  // Device `d` takes over from the one in use: out of reset only now, and with nothing of its own.
  task take_over(input int d);
    idle(now);
    rst_n[d] = 1;
    step;
    write(d, 28'h10, 1);
    for (int r = 'h40; r <= 'h8C; r = r + 4) begin
      if (r != 'h5C && r != 'h7C && (r < 'h88 || Algorithm == 2)) begin
        read(now, r);
        write(d, r, found);
      end
    end
    for (int b = 0; b <= States; b++) begin
      for (int i = 0; i < 32*Sequences; i++) begin
        read(now, Cells + (b << 25) + 4*i);
        write(d, Cells + (b << 25) + 4*i, found);
      end
    end
    write(d, 28'h10, 0);
    now = d;
  endtask

  task initial_cells(input int d);
    for (int i = 0; i < 32*Sequences; i++) begin
      write(d, Cells + 4*i, {1'b0, 8'd125, i[6:0], 16'd0});
      for (int b = 1; b <= States; b++) write(d, Cells + (b << 25) + 4*i, b == 3 || Algorithm == 1 ? 32'h3F80_0000 : 32'd0);
    end
  endtask

  function automatic [3:0] both(input int d);
    both = 4'b0001 | (4'b0001 << d);
  endfunction

  task compare(input int first_beat, input int from);
    for (int i = 0; i < left[from]; i++) begin
      beats = beats + 1;
      if (sent[from][i] !== sent[0][first_beat + i]) begin
        if (failed < 10) $display("checkpoint: beat %0d of device %0d: %h, not %h", i, from, sent[from][i], sent[0][first_beat + i]);
        failed = failed + 1;
      end
    end
  endtask

  reg [31:0] counted, power;
  initial begin
    repeat (3) step;
    rst_n = 4'b0011;
    step;
    for (int d = 0; d < 2; d++) begin
      hyperparameters(d, 0);
      initial_cells(d);
    end
    for (int t = 1; t <= 3; t++) for (int s = 0; s < Sequences; s++) send(s, t, both(now));
    take_over(2);
    for (int s = 0; s < Sequences; s++) send(s, 4, both(now));
    for (int s = 0; s < Sequences / 2; s++) send(s, 5, both(now));
    repeat (300) step;  // iteration 5 has begun
    hyperparameters(0, 1);
    hyperparameters(now, 1);
    take_over(3);
    for (int s = Sequences / 2; s < Sequences; s++) send(s, 5, both(now));
    for (int t = 6; t <= 8; t++) for (int s = 0; s < Sequences; s++) send(s, t, both(now));
    idle(0);
    idle(now);
    if (left[0] != 6*8*Sequences || left[1] + left[2] + left[3] != left[0]) begin
      $display("checkpoint: %0d beats, and %0d, %0d, %0d", left[0], left[1], left[2], left[3]);
      failed = failed + 1;
    end
    compare(0, 1);
    compare(left[1], 2);
    compare(left[1] + left[2], 3);

    // The job's reset: iterations begin anew from 1, powers are 1; counters and cells stay. Device 3 has counted two iterations less.
    read(0, 28'h138);
    counted = found;
    if (counted != 8) failed = failed + 1;
    write(0, 28'h1C, 1);
    read(0, 28'h84);
    if (found != 0) failed = failed + 1;
    if (Algorithm == 2) begin
      read(0, 28'h88);
      if (found != 32'h3F80_0000) failed = failed + 1;
    end
    read(0, 28'h138);
    if (found != counted) failed = failed + 1;
    // As a fresh device with these cells: device 1, reset.
    rst_n[1] = 0;
    step;
    step;
    rst_n[1] = 1;
    step;
    hyperparameters(0, 0);
    hyperparameters(1, 0);
    for (int d = 0; d < 2; d++) begin
      initial_cells(d);
      left[d] = 0;
    end
    write(0, 28'h10, 0);
    for (int t = 1; t <= 2; t++) for (int s = 0; s < Sequences; s++) send(s, t, 4'b0011);
    idle(0);
    idle(1);
    compare(0, 1);
    read(0, 28'h138);
    if (found != counted + 2) failed = failed + 1;
    $display("checkpoint: algorithm %0d, %0d beats equal, %0d failed", Algorithm, beats, failed);
    if (failed != 0 || beats < 120) $fatal(1, "checkpoint: a run that was stopped is another");
    $finish;
  end
endmodule

`default_nettype wire
