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
  reg [884:0] word = 0, next = 0;
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
  wire [0:0] s_axil_awvalid = word[7 +: 1];
  wire [0:0] want_s_axil_awready = word[8 +: 1];
  wire [0:0] s_axil_awready;
  wire [11:0] s_axil_awaddr = word[9 +: 12];
  wire [0:0] s_axil_wvalid = word[21 +: 1];
  wire [0:0] want_s_axil_wready = word[22 +: 1];
  wire [0:0] s_axil_wready;
  wire [31:0] s_axil_wdata = word[23 +: 32];
  wire [3:0] s_axil_wstrb = word[55 +: 4];
  wire [0:0] want_s_axil_bvalid = word[59 +: 1];
  wire [0:0] s_axil_bvalid;
  wire [0:0] s_axil_bready = word[60 +: 1];
  wire [1:0] want_s_axil_bresp = word[61 +: 2];
  wire [1:0] s_axil_bresp;
  wire [0:0] s_axil_arvalid = word[63 +: 1];
  wire [0:0] want_s_axil_arready = word[64 +: 1];
  wire [0:0] s_axil_arready;
  wire [11:0] s_axil_araddr = word[65 +: 12];
  wire [0:0] want_s_axil_rvalid = word[77 +: 1];
  wire [0:0] s_axil_rvalid;
  wire [0:0] s_axil_rready = word[78 +: 1];
  wire [1:0] want_s_axil_rresp = word[79 +: 2];
  wire [1:0] s_axil_rresp;
  wire [31:0] want_s_axil_rdata = word[81 +: 32];
  wire [31:0] s_axil_rdata;
  wire [0:0] s_axis_tlast = word[113 +: 1];
  wire [1:0] s_axis_tuser = word[114 +: 2];
  wire [31:0] s_axis_tkeep = word[116 +: 32];
  wire [255:0] s_axis_tdata = word[148 +: 256];
  wire [0:0] want_m_axis_tlast = word[404 +: 1];
  wire [0:0] m_axis_tlast;
  wire [191:0] want_m_axis_tuser = word[405 +: 192];
  wire [191:0] m_axis_tuser;
  wire [31:0] want_m_axis_tkeep = word[597 +: 32];
  wire [31:0] m_axis_tkeep;
  wire [255:0] want_m_axis_tdata = word[629 +: 256];
  wire [255:0] m_axis_tdata;

  gw_parser_axil u_dut (
    .aclk, .aresetn,
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tvalid,
    .m_axis_tready,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rresp,
    .s_axil_rdata,
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
        `GW_COMPARE("s_axil_bvalid", s_axil_bvalid, want_s_axil_bvalid)
        `GW_COMPARE("s_axil_rvalid", s_axil_rvalid, want_s_axil_rvalid)
        if (seen) begin
          `GW_COMPARE("s_axis_tready", s_axis_tready, want_s_axis_tready)
          `GW_COMPARE("s_axil_awready", s_axil_awready, want_s_axil_awready)
          `GW_COMPARE("s_axil_wready", s_axil_wready, want_s_axil_wready)
          `GW_COMPARE("s_axil_bvalid", s_axil_bvalid, want_s_axil_bvalid)
          if (want_s_axil_bvalid) `GW_COMPARE("s_axil_bresp", s_axil_bresp, want_s_axil_bresp)
          `GW_COMPARE("s_axil_arready", s_axil_arready, want_s_axil_arready)
          `GW_COMPARE("s_axil_rvalid", s_axil_rvalid, want_s_axil_rvalid)
          if (want_s_axil_rvalid) `GW_COMPARE("s_axil_rresp", s_axil_rresp, want_s_axil_rresp)
          if (want_s_axil_rvalid) `GW_COMPARE("s_axil_rdata", s_axil_rdata, want_s_axil_rdata)
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
    if (got == 1 && !failed) begin
      $display("PASS cycles=%0d", cycle + 1);
      $finish;
    end
  end
endmodule

`default_nettype wire
