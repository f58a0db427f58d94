// Made by gradwire: a run of the device parser, to be replayed in any simulator of SystemVerilog.
// Sources: files.f. Vectors: vectors.hex in the working directory, or +vectors=FILE, a word a clock edge. Inputs are
// those that the edge samples; outputs are compared before it, in four states. Cycle 0 follows reset and host writes.
`default_nettype none

`define GW_COMPARE(name_, got_, want_) \
  if (!failed && (got_) !== (want_)) begin \
    failed = 1'b1; \
    $display("FAIL cycle=%0d signal=%s got=%h expected=%h", cycle, name_, got_, want_); \
    $fatal(1, "the RTL does not follow the recorded run"); \
  end

module gw_parser_tb;
  reg aclk = 1'b0;
  reg [778:0] word = 0, next = 0;
  wire aresetn = resetn;
  wire [0:0] resetn = word[0 +: 1];
  wire [0:0] seen = word[1 +: 1];
  wire [0:0] over = word[2 +: 1];
  wire [0:0] s_axis_tvalid = word[3 +: 1];
  wire [0:0] want_s_axis_tready = word[4 +: 1];
  wire [0:0] s_axis_tready;
  wire [0:0] want_m_axis_tvalid = word[5 +: 1];
  wire [0:0] m_axis_tvalid;
  wire [0:0] m_axis_tready = word[6 +: 1];
  wire [0:0] s_axis_tlast = word[7 +: 1];
  wire [1:0] s_axis_tuser = word[8 +: 2];
  wire [31:0] s_axis_tkeep = word[10 +: 32];
  wire [255:0] s_axis_tdata = word[42 +: 256];
  wire [0:0] want_m_axis_tlast = word[298 +: 1];
  wire [0:0] m_axis_tlast;
  wire [191:0] want_m_axis_tuser = word[299 +: 192];
  wire [191:0] m_axis_tuser;
  wire [31:0] want_m_axis_tkeep = word[491 +: 32];
  wire [31:0] m_axis_tkeep;
  wire [255:0] want_m_axis_tdata = word[523 +: 256];
  wire [255:0] m_axis_tdata;
  wire [383:0] stat_o;

  gw_parser u_dut (
    .aclk, .aresetn,
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tvalid,
    .m_axis_tready,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tkeep,
    .s_axis_tdata,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tkeep,
    .m_axis_tdata,
    .stat_o
  );

  integer file, got, cycle = -1, lines = 0;
  reg was_reset = 1'b0, failed = 1'b0;  // before the first edge outputs are undefined
  reg [8*1024-1:0] path;

  initial begin
    if (!$value$plusargs("vectors=%s", path)) path = "vectors.hex";
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "cannot open %0s", path);
    got = $fscanf(file, "%h", next);
    while (got == 1 && !next[2] && !failed) begin
      word = next;
      lines = lines + 1;
      #5;
      if (seen && resetn) cycle = cycle + 1;
      if (was_reset) begin
        `GW_COMPARE("m_axis_tvalid", m_axis_tvalid, want_m_axis_tvalid)
        if (seen) begin
          `GW_COMPARE("s_axis_tready", s_axis_tready, want_s_axis_tready)
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tlast", m_axis_tlast[0 +: 1], want_m_axis_tlast[0 +: 1])
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tuser", m_axis_tuser[0 +: 192], want_m_axis_tuser[0 +: 192])
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tkeep", m_axis_tkeep[0 +: 32], want_m_axis_tkeep[0 +: 32])
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tdata", m_axis_tdata[0 +: 256], want_m_axis_tdata[0 +: 256])
        end
      end
      aclk = 1'b1;
      was_reset = was_reset | !resetn;
      #5 aclk = 1'b0;
      if (!failed) got = $fscanf(file, "%h", next);
    end
    if (got != 1) $fatal(1, "%0s ends early or is no file of vectors, line %0d", path, lines + 1);
    #5;
    if (next[1]) `GW_COMPARE("stat_o, not_expether", stat_o[0 +: 32], next[3 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, plain", stat_o[32 +: 32], next[35 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, gradient", stat_o[64 +: 32], next[67 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, parameter", stat_o[96 +: 32], next[99 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, malformed", stat_o[128 +: 32], next[131 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, short_frame", stat_o[160 +: 32], next[163 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, bad_version", stat_o[192 +: 32], next[195 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, bad_checksum", stat_o[224 +: 32], next[227 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, count", stat_o[256 +: 32], next[259 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, tlp_length", stat_o[288 +: 32], next[291 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, poisoned", stat_o[320 +: 32], next[323 +: 32])
    if (next[1]) `GW_COMPARE("stat_o, tlp_type", stat_o[352 +: 32], next[355 +: 32])
    if (got == 1 && !failed) begin
      $display("PASS cycles=%0d", cycle + 1);
      $finish;
    end
  end
endmodule

`default_nettype wire
