// Whatever the contract of nic_rx does not look at is unknown here: configuration but with a frame's first beat, tkeep and tuser
// before the last one, bytes that tkeep excludes, all of it without tvalid. Nothing that counts may become unknown by that.
`timescale 1ns / 1ps
`default_nettype none

module gw_nic_rx_unknown_tb;
  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = ~clk;

  logic [7:0]   protocol_tcp, protocol_udp;
  logic [255:0] s_data, m_data;
  logic [31:0]  s_keep, m_keep;
  logic         s_valid = 1'b0, s_ready, s_last, s_user, m_valid, m_last, m_user;
  logic [223:0] stat;
  logic         forget_says;
  logic [95:0]  forget_key;
  gw_nic_rx u_dut (
    .aclk(clk), .aresetn(rst_n), .protocol_tcp_i(protocol_tcp), .protocol_udp_i(protocol_udp), .s_axis_tdata(s_data),
    .s_axis_tkeep(s_keep), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last), .s_axis_tuser(s_user),
    .m_axis_tdata(m_data), .m_axis_tkeep(m_keep), .m_axis_tvalid(m_valid), .m_axis_tready(1'b1), .m_axis_tlast(m_last),
    .m_axis_tuser(m_user), .forget_o(forget_says), .forget_key_o(forget_key), .stat_o(stat)
  );

  int sent = 0, left = 0, failed = 0, forgotten = 0;
  always @(posedge clk) if (rst_n) begin
    if (^{s_ready, m_valid, forget_says, stat} === 1'bx || (forget_says === 1'b1 && ^forget_key === 1'bx) || (m_valid === 1'b1 && ^{m_data, m_keep, m_last, m_user} === 1'bx)) begin
      failed = failed + 1;
      if (failed == 1) $display("FAIL unknown by frame %0d", sent);
    end
    if (m_valid === 1'b1 && m_last === 1'b1) left = left + 1;
    if (forget_says === 1'b1) forgotten = forgotten + 1;
  end

  logic [7:0] frame [0:255];
  task automatic forget;
    {protocol_tcp, protocol_udp, s_data, s_keep, s_last, s_user} = 'x;
    s_valid = 1'b0;
  endtask
  task automatic send(input int size);
    for (int at = 0; at == 0 || at < size; at = at + 32) begin
      forget();
      s_valid = 1'b1;
      s_last  = at + 32 >= size;
      if (at == 0) {protocol_tcp, protocol_udp} = {8'd253, 8'd254};
      if (s_last) begin
        s_keep = 32'd0;
        s_user = 1'b0;
      end
      for (int i = 0; i < 32 && at + i < size; i = i + 1) begin
        s_data[8*i +: 8] = frame[at + i];
        if (s_last) s_keep[i] = 1'b1;
      end
      while (s_ready !== 1'b1 && failed == 0) @(negedge clk);
      @(negedge clk);
    end
    sent = sent + 1;
    forget();
    repeat (size % 3) @(negedge clk);
  endtask

  // Two groups of zeros for 12 floats, behind UDP, or TCP with all its options, IPv4 and a tag or none.
  task automatic make(input bit tag, input bit tcp);
    int ip, transport, shim;
    for (int i = 0; i < 256; i = i + 1) frame[i] = 8'd0;
    ip        = tag ? 18 : 14;
    transport = ip + 20;
    shim      = transport + (tcp ? 60 : 8);
    if (tag) frame[12] = 8'h81;
    frame[ip-2] = 8'h08;
    frame[ip]   = 8'h45;
    frame[ip+3] = 8'(shim + 8 - ip);
    frame[ip+9] = tcp ? 8'd253 : 8'd254;
    if (tcp) frame[transport+12] = 8'hF0;
    else frame[transport+5] = 8'd56;
    frame[shim]   = 8'h2B;
    frame[shim+1] = 8'hA8;
    frame[shim+3] = 8'd48;
  endtask

  // An ICMP error with all of IPv4's options that quotes such a frame, of which 84 bytes are headers and shim at most.
  task automatic quote(input bit tag, input bit tcp);
    int ip, at;
    make(1'b0, tcp);
    ip = tag ? 18 : 14;
    at = ip + 60 + 8;
    for (int i = 87; i >= 0; i = i - 1) frame[at+i] = frame[14+i];
    for (int i = 0; i < at; i = i + 1) frame[i] = 8'd0;
    if (tag) frame[12] = 8'h81;
    frame[ip-2] = 8'h08;
    frame[ip]   = 8'h4F;
    frame[ip+3] = 8'(at + 88 - ip);
    frame[ip+9] = 8'd1;
    frame[at-8] = 8'd3;
    frame[at-7] = 8'd2;
  endtask

  initial begin
    forget();
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (int kind = 0; kind < 4; kind = kind + 1) begin
      make(kind[0], kind[1]);
      for (int size = 0; size < 180; size = size + 1) send(size);
      quote(kind[0], kind[1]);
      for (int size = 0; size < 200; size = size + 1) send(size);
    end
    repeat (200) @(negedge clk);
    if (left != sent) $display("FAIL %0d of %0d frames left", left, sent);
    if (!(forgotten > 10)) $display("FAIL too few flows forgotten: %0d", forgotten);
    for (int i = 0; i < 5; i = i + 1) begin
      if (!(stat[32*i +: 32] > 32'd10)) $display("FAIL too few frames of action %0d: %0d", i, stat[32*i +: 32]);
    end
    if (failed == 0 && left == sent) $display("PASS");
    $finish(0);
  end
endmodule

`default_nettype wire
