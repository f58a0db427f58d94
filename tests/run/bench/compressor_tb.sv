// Made by gradwire: a run of the device compressor, to be replayed in any simulator of SystemVerilog.
// Sources: files.f. Vectors: vectors.hex in the working directory, or +vectors=FILE, a word a clock edge. Inputs are
// those that the edge samples; outputs are compared before it, in four states. Cycle 0 follows reset and host writes.
`default_nettype none

`define GW_COMPARE(name_, got_, want_) \
  if (!failed && (got_) !== (want_)) begin \
    failed = 1'b1; \
    $display("FAIL cycle=%0d signal=%s got=%h expected=%h", cycle, name_, got_, want_); \
    $fatal(1, "the RTL does not follow the recorded run"); \
  end

module gw_compressor_tb;
  reg aclk = 1'b0;
  reg [623:0] word = 0, next = 0;
  wire aresetn = resetn;
  wire [0:0] resetn = word[0 +: 1];
  wire [0:0] seen = word[1 +: 1];
  wire [0:0] over = word[2 +: 1];
  wire [3:0] bound_i = word[3 +: 4];
  wire [0:0] bounded_i = word[7 +: 1];
  wire [0:0] s_axis_tvalid = word[8 +: 1];
  wire [0:0] want_s_axis_tready = word[9 +: 1];
  wire [0:0] s_axis_tready;
  wire [0:0] want_m_axis_tvalid = word[10 +: 1];
  wire [0:0] m_axis_tvalid;
  wire [0:0] m_axis_tready = word[11 +: 1];
  wire [31:0] want_error_count_o = word[12 +: 32];
  wire [31:0] error_count_o;
  wire [0:0] s_axis_tlast = word[44 +: 1];
  wire [0:0] s_axis_tuser = word[45 +: 1];
  wire [31:0] s_axis_tkeep = word[46 +: 32];
  wire [255:0] s_axis_tdata = word[78 +: 256];
  wire [0:0] want_m_axis_tlast = word[334 +: 1];
  wire [0:0] m_axis_tlast;
  wire [0:0] want_m_axis_tuser = word[335 +: 1];
  wire [0:0] m_axis_tuser;
  wire [31:0] want_m_axis_tkeep = word[336 +: 32];
  wire [31:0] m_axis_tkeep;
  wire [255:0] want_m_axis_tdata = word[368 +: 256];
  wire [255:0] m_axis_tdata;

  gw_compressor u_dut (
    .aclk, .aresetn,
    .bound_i,
    .bounded_i,
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tvalid,
    .m_axis_tready,
    .error_count_o,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tkeep,
    .s_axis_tdata,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tkeep,
    .m_axis_tdata
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
          `GW_COMPARE("error_count_o", error_count_o, want_error_count_o)
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tlast", m_axis_tlast[0 +: 1], want_m_axis_tlast[0 +: 1])
          if (want_m_axis_tvalid[0]) `GW_COMPARE("m_axis_tuser", m_axis_tuser[0 +: 1], want_m_axis_tuser[0 +: 1])
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
    if (got == 1 && !failed) begin
      $display("PASS cycles=%0d", cycle + 1);
      $finish;
    end
  end
endmodule

`default_nettype wire
