// A quantiser in a four-state simulator: each cycle's pins as a recorded run had them (tests/quant/*_rtl_test.cc), outputs compared before
// each edge. icarus.sh says which one (GW_DUT), and which bits of the recorded word are which of its settings (GW_SETTINGS). A few cycles
// that differ end it.
`timescale 1ns / 1ps
`default_nettype none

module gw_quantiser_tb #(
  parameter int Rows = 0
);
  logic         clk = 1'b0, rst_n = 1'b0, s_valid = 1'b0, s_last = 1'b0, m_ready = 1'b0;
  logic [63:0]  settings = 64'd0;
  logic [255:0] s_data = 256'd0;
  logic [31:0]  s_keep = 32'd0;
  logic [52:0]  s_user = 53'd0;
  wire          s_ready, m_valid, m_last, m_user;
  wire  [255:0] m_data;
  wire  [31:0]  m_keep, raws, errors;
  `GW_DUT #(.Rows(Rows)) u_dut (
    .aclk(clk), .aresetn(rst_n), `GW_SETTINGS, .s_axis_tdata(s_data), .s_axis_tkeep(s_keep),
    .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last), .s_axis_tuser(s_user), .m_axis_tdata(m_data),
    .m_axis_tkeep(m_keep), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tlast(m_last), .m_axis_tuser(m_user),
    .raw_count_o(raws), .error_count_o(errors)
  );

  int           file, got, cycles = 0, beats = 0, failed = 0;
  logic         in_reset, e_ready, e_valid, e_last, e_user;
  logic [255:0] e_data;
  logic [31:0]  e_keep, e_raws, e_errors;
  logic [8*200-1:0] path;
  initial begin
    if (!$value$plusargs("vectors=%s", path)) $fatal(1, "+vectors=FILE is missing");
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "no vectors");
    got = $fscanf(file, "%h", in_reset);
    while (got == 1 && failed < 4) begin
      rst_n = in_reset;
      if (rst_n) begin
        got = $fscanf(file, "%h %h %h %h %h %h %h", settings, s_valid, s_keep, s_user, s_last, m_ready, s_data);
        got = $fscanf(file, "%h %h %h %h %h %h %h %h", e_ready, e_valid, e_keep, e_last, e_user, e_raws, e_errors, e_data);
        if (got != 8) $fatal(1, "vectors are cut off");
      end
      #1;
      if (rst_n) begin
        cycles = cycles + 1;
        if (e_valid && m_ready) beats = beats + 1;
        if (s_ready !== e_ready || m_valid !== e_valid || raws !== e_raws || errors !== e_errors ||
            (e_valid && {m_data, m_keep, m_last, m_user} !== {e_data, e_keep, e_last, e_user})) begin
          failed = failed + 1;
          $display("cycle %0d: ready %b not %b, valid %b not %b, %h not %h", cycles, s_ready, e_ready, m_valid, e_valid, m_data, e_data);
        end
      end
      clk = 1'b1;
      #1 clk = 1'b0;
      got = $fscanf(file, "%h", in_reset);
    end
    if (failed == 0 && beats > 100) $display("PASS %0d cycles, %0d beats", cycles, beats);
    else $display("FAIL %0d of %0d cycles, %0d beats", failed, cycles, beats);
    $finish(0);
  end
endmodule

`default_nettype wire
