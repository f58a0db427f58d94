// Stand for what lies between the switch's queues where contents do not matter: gw_parser, gw_aggregation, gw_optimization and
// gw_lookup that hold the frames up and choose their ports as they like, within what is proved of the real ones.
`default_nettype none

// Frames in order, each beat in any cycle from `Latency` on; none is held back for more than `Silence` cycles running while a whole
// frame is within, or no further beat finds room. Takes what is offered, if there is room; with `Refuses` in any cycle or the next one.
module gw_frames_free #(
  parameter int Bits = 36,
  parameter int Latency = 1,
  parameter int Silence = 1,
  parameter bit Refuses = 1'b0
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic            s_valid_i,
  output logic                 s_ready_o,
  input  wire logic            s_last_i,
  input  wire logic [Bits-1:0] s_bits_i,
  output logic                 m_valid_o,
  input  wire logic            m_ready_i,
  output logic                 m_last_o,
  output logic [Bits-1:0]      m_bits_o
);
  wire hold, refuse;  // any
  // Beats on their way to the places, then in them. Room is kept for all that have been taken.
  logic [Latency-2:0] moving_q;
  logic [Bits:0]      beat_q [0:Latency-2];
  logic [Bits:0]      place_q [0:3];
  logic [2:0]         taken_q, write_q, read_q, left_q;
  logic [2:0]         whole_q;  // frames whose last beat is in a place
  logic               waits_q, refused_q;
  logic [2:0]         silence_q;
  wire  take = s_valid_i && s_ready_o;
  wire  some = write_q != read_q;
  wire  full = taken_q - read_q == 3'd4;
  wire  put  = moving_q[Latency-2];
  wire  gone = m_valid_o && m_ready_i;
  assign s_ready_o = !full && !(Refuses && refuse && !refused_q);
  assign {m_last_o, m_bits_o} = place_q[read_q[1:0]];
  assign m_valid_o = some && (waits_q || !hold || {29'd0, silence_q} >= Silence);
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Latency - 1; i++) begin
      moving_q[i] <= rst_ni && (i == 0 ? take : moving_q[i-1]);
      beat_q[i]   <= i == 0 ? {s_last_i, s_bits_i} : beat_q[i-1];
    end
    if (put) place_q[write_q[1:0]] <= beat_q[Latency-2];
    refused_q <= rst_ni && s_valid_i && !s_ready_o;
    waits_q   <= rst_ni && m_valid_o && !m_ready_i;
    if (!rst_ni) begin
      taken_q   <= '0;
      write_q   <= '0;
      read_q    <= '0;
      whole_q   <= '0;
      silence_q <= '0;
    end else begin
      taken_q   <= taken_q + {2'd0, take};
      write_q   <= write_q + {2'd0, put};
      read_q    <= read_q + {2'd0, gone};
      whole_q   <= whole_q + {2'd0, put && beat_q[Latency-2][Bits]} - {2'd0, gone && m_last_o};
      silence_q <= m_valid_o || (whole_q == 3'd0 && !full) ? 3'd0 : silence_q + 3'd1;
    end
  end
endmodule

module gw_parser (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [1:0]   s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic [191:0]      m_axis_tuser,
  output logic [12*32-1:0]  stat_o
);
  wire [1:0] port;
  assign m_axis_tuser = {{(190-gw_expether_pkg::UserPort){1'b0}}, port, {gw_expether_pkg::UserPort{1'b0}}};
  gw_frames_free #(.Latency(2)) u_frames (
    .clk_i(aclk), .rst_ni(aresetn), .s_valid_i(s_axis_tvalid), .s_ready_o(s_axis_tready), .s_last_i(s_axis_tlast),
    .s_bits_i({s_axis_tuser, s_axis_tdata[1:0], s_axis_tkeep}), .m_valid_o(m_axis_tvalid), .m_ready_i(m_axis_tready),
    .m_last_o(m_axis_tlast), .m_bits_o({port, m_axis_tdata[1:0], m_axis_tkeep})
  );
  wire unused = ^s_axis_tdata;
endmodule

module gw_aggregation #(
  parameter int DepthLog2 = 10,
  parameter int AddLatency = 5,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [4:0]   workers_i,
  input  wire logic [15:0]  group_i,
  input  wire logic [DepthLog2:0] depth_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [191:0] s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic [191:0]      m_axis_tuser,
  output logic              m_selected_o,
  output logic [10*32-1:0]  stat_o,
  input  wire logic         job_reset_i,
  output logic              clearing_o
);
  wire [1:0] unused_bits;
  gw_frames_free #(.Latency(2), .Refuses(1'b1)) u_frames (
    .clk_i(aclk), .rst_ni(aresetn), .s_valid_i(s_axis_tvalid), .s_ready_o(s_axis_tready), .s_last_i(s_axis_tlast),
    .s_bits_i({2'd0, s_axis_tdata[1:0], s_axis_tkeep}), .m_valid_o(m_axis_tvalid), .m_ready_i(m_axis_tready),
    .m_last_o(m_axis_tlast), .m_bits_o({unused_bits, m_axis_tdata[1:0], m_axis_tkeep})
  );
  wire unused = ^{workers_i, group_i, depth_i, s_axis_tdata, s_axis_tuser, job_reset_i, AddLatency, Subnormal};
endmodule

module gw_optimization #(
  parameter int Algorithm = 0,
  parameter int Pes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  parameter int DepthLog2 = 10
) (
  input  wire logic           aclk,
  input  wire logic           aresetn,
  input  wire logic           cfg_valid_i,
  input  wire logic [31:0]    cfg_address_i,
  input  wire logic [31:0]    cfg_data_i,
  input  wire logic [255:0]   s_axis_tdata,
  input  wire logic [31:0]    s_axis_tkeep,
  input  wire logic           s_axis_tvalid,
  output logic                s_axis_tready,
  input  wire logic           s_axis_tlast,
  input  wire logic [191:0]   s_axis_tuser,
  input  wire logic           s_selected_i,
  output logic [255:0]        m_axis_tdata,
  output logic [31:0]         m_axis_tkeep,
  output logic                m_axis_tvalid,
  input  wire logic           m_axis_tready,
  output logic                m_axis_tlast,
  output logic [191:0]        m_axis_tuser,
  output logic [4*32-1:0]     stat_o,
  input  wire logic           job_reset_i,
  input  wire logic           cfg_restore_i,
  input  wire logic           cfg_read_i,
  output logic [31:0]         cfg_data_o
);
  wire [1:0] unused_bits;
  // Five registers lie in the real one's way.
  gw_frames_free #(.Latency(5)) u_frames (
    .clk_i(aclk), .rst_ni(aresetn), .s_valid_i(s_axis_tvalid), .s_ready_o(s_axis_tready), .s_last_i(s_axis_tlast),
    .s_bits_i({2'd0, s_axis_tdata[1:0], s_axis_tkeep}), .m_valid_o(m_axis_tvalid), .m_ready_i(m_axis_tready),
    .m_last_o(m_axis_tlast), .m_bits_o({unused_bits, m_axis_tdata[1:0], m_axis_tkeep})
  );
  wire unused = ^{cfg_valid_i, cfg_address_i, cfg_data_i, s_axis_tdata, s_axis_tuser, s_selected_i, job_reset_i, cfg_restore_i,
                  cfg_read_i, Algorithm, Pes, Iterative, Fast, Subnormal, EpsOutside, DepthLog2};
endmodule

// Any ports but the frame's own, after the real one's four cycles.
module gw_lookup (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         offered_i,
  input  wire logic         first_i,
  input  wire logic [255:0] data_i,
  input  wire logic [1:0]   port_i,
  output logic              valid_o,
  output logic [3:0]        mask_o,
  output logic [31:0]       flooded_o,
  output logic [31:0]       filtered_o
);
  wire  [3:0] ports;  // any
  logic [2:0] valid_q;
  logic [1:0] port1_q, port2_q, port3_q;
  always_ff @(posedge clk_i) begin
    {valid_o, valid_q} <= {valid_q, first_i} & {4{rst_ni}};
    if (offered_i) port1_q <= port_i;
    port2_q <= port1_q;
    port3_q <= port2_q;
    mask_o  <= ports & ~(4'd1 << port3_q);
  end
  wire unused = ^data_i;
endmodule

`default_nettype wire
