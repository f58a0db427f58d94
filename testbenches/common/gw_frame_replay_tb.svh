// Body of the replay testbenches of devices that are fed with frames: drives one recorded cycle after the other, compares
// outputs. One 848-bit word (212 hex digits) a line and a clock cycle in +vectors=FILE; GW_REPLAY_TB names the testbench,
// GW_REPLAY_DUT the device with its parameters, GW_REPLAY_PINS its ports beyond the streams, GW_REPLAY_STATS its counters.
`default_nettype none

module `GW_REPLAY_TB;
  bit         aclk;
  bit [847:0] word;

  // Inputs are those that the edge at the end of the cycle samples, expected outputs those seen before it.
  wire         aresetn        = word[0];
  wire         s_axis_tvalid  = word[1];
  wire         s_axis_tlast   = word[2];
  wire [1:0]   s_axis_tuser   = word[4:3];
  wire         m_axis_tready  = word[5];
  wire         exp_s_tready   = word[6];
  wire         exp_m_tvalid   = word[7];
  wire         exp_m_tlast    = word[8];
  wire         cfg_valid_i    = word[9];
  wire [31:0]  s_axis_tkeep   = word[47:16];
  wire [31:0]  exp_m_tkeep    = word[79:48];
  wire [31:0]  cfg_address_i  = word[111:80];
  wire [31:0]  cfg_data_i     = word[143:112];
  wire [255:0] s_axis_tdata   = word[399:144];
  wire [255:0] exp_m_tdata    = word[655:400];
  wire [191:0] exp_m_tuser    = word[847:656];

  wire         s_axis_tready, m_axis_tvalid, m_axis_tlast;
  wire [255:0] m_axis_tdata;
  wire [31:0]  m_axis_tkeep;
  wire [191:0] m_axis_tuser;
  wire [32*`GW_REPLAY_STATS-1:0] stat_o;
  `GW_REPLAY_DUT u_dut (
    .aclk, .aresetn, `GW_REPLAY_PINS
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser, .stat_o
  );

  integer          file, cycle;
  bit              was_reset;  // outputs are undefined before the first edge in reset
  reg [8*1024-1:0] path;

  `define GW_REPLAY_COMPARE(got_, want_) \
    if (got_ !== want_) begin \
      $display("FAIL cycle=%0d signal=%s got=%h expected=%h", cycle, `"got_`", got_, want_); \
      $fatal(1, "the device does not follow its record"); \
    end

  initial begin
    if (!$value$plusargs("vectors=%s", path)) $fatal(1, "say +vectors=FILE");
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "cannot open %0s", path);
    for (cycle = 0; $fscanf(file, "%h", word) == 1; cycle = cycle + 1) begin
      #5;
      if (was_reset) begin
        `GW_REPLAY_COMPARE(s_axis_tready, exp_s_tready)
        `GW_REPLAY_COMPARE(m_axis_tvalid, exp_m_tvalid)
        `GW_REPLAY_COMPARE(^stat_o === 1'bx, 1'b0)
        if (exp_m_tvalid) begin
          `GW_REPLAY_COMPARE(m_axis_tdata, exp_m_tdata)
          `GW_REPLAY_COMPARE(m_axis_tkeep, exp_m_tkeep)
          `GW_REPLAY_COMPARE(m_axis_tlast, exp_m_tlast)
          `GW_REPLAY_COMPARE(m_axis_tuser, exp_m_tuser)
        end
      end
      aclk = 1'b1;
      was_reset = was_reset | ~aresetn;
      #5 aclk = 1'b0;
    end
    if (!$feof(file)) $fatal(1, "line %0d of %0s is not a hexadecimal word", cycle + 1, path);
    if (cycle == 0) $fatal(1, "%0s holds no cycle", path);
    $display("PASS cycles=%0d", cycle);
    $finish;
  end
endmodule

`default_nettype wire
