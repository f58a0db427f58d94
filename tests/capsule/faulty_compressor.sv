// The compressor, wrong on purpose; in which way, the bound of the packet that went in last says:
//   1, 10  a bit of the last beat of a packet, if that beat is full
//   2      a bubble before the second packet
//   3      the last beat of the second packet does not say so, if the file list sets Quiet to 0
//   4, 8   a hang behind the third packet, behind the thousandth
//   5      a bit, once in 2^20 beats of random values: an input beat whose lane 0 ends with 20 certain bits
//   6      a bit, of another beat each time, the 768th or a later one: packets are before it that shrinking would take out
//   7      none of it
//   11     tvalid falls once before tready has answered
//   12     it stops at the end of the second packet
//   9      a reset that meets traffic leaves something: no packet behind it ends
// Fault, if it is not 0, says it in the bound's place: also in traffic that has another bound.
`default_nettype none

module faulty_compressor #(
  parameter bit Quiet = 1'b1,
  parameter int Fault = 0
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [31:0]       error_count_o
);
  logic         ready, valid, last;
  logic [255:0] data;

  // Packets that have gone in and out, beats that have come out.
  logic [31:0] packets_in_q = 32'd0, packets_out_q, beats_out_q;  // no traffic before the first reset
  logic        bubble_q, poison_q;
  wire in  = s_axis_tvalid && s_axis_tready;
  wire out = m_axis_tvalid && m_axis_tready;

  // The bound is a packet's: the pin counts with its first beat.
  logic       inside_q;
  logic [3:0] fault_q;
  wire  [3:0] fault = Fault != 0 ? Fault[3:0] : s_axis_tvalid && !inside_q ? bound_i : fault_q;
  always_ff @(posedge aclk)
    if (!aresetn) {inside_q, fault_q} <= '0;
    else if (in) begin
      inside_q <= !s_axis_tlast;
      fault_q  <= fault;
    end

  integer    file;
  integer    drawn;
  initial begin
    file  = $fopen("/dev/urandom", "r");
    drawn = $fgetc(file);
    $fclose(file);
  end

  logic met_traffic_q = 1'b0;
  always_ff @(posedge aclk) if (!aresetn && packets_in_q != 32'd0) met_traffic_q <= 1'b1;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      packets_in_q  <= 32'd0;
      packets_out_q <= 32'd0;
      beats_out_q   <= 32'd0;
      bubble_q      <= 1'b0;
      poison_q      <= 1'b0;
    end else begin
      if (in && s_axis_tlast) packets_in_q <= packets_in_q + 32'd1;
      if (out) beats_out_q <= beats_out_q + 32'd1;
      if (out && last) packets_out_q <= packets_out_q + 32'd1;
      if (fault == 4'd2 && out && last && packets_out_q == 32'd0) bubble_q <= 1'b1;
      else if (valid) bubble_q <= 1'b0;
      if (fault == 4'd5 && in && s_axis_tdata[19:0] == 20'h5A5A5) poison_q <= 1'b1;
    end
  end

  wire hang = (fault == 4'd4 && packets_in_q >= 32'd3) || (fault == 4'd8 && packets_in_q >= 32'd1000);
  wire full = last && m_axis_tkeep[31];
  wire flip = ((fault == 4'd1 || fault == 4'd10) && full) || poison_q ||
              (fault == 4'd6 && beats_out_q[9:0] == {2'd3, drawn[7:0]});

  // The third beat that waits is withdrawn for a cycle.
  logic [1:0] waits_q;
  logic       waited_q;
  always_ff @(posedge aclk)
    if (!aresetn) {waits_q, waited_q} <= '0;
    else begin
      waited_q <= m_axis_tvalid && !m_axis_tready;
      if (fault == 4'd11 && m_axis_tvalid && !m_axis_tready && !waited_q && waits_q != 2'd3) waits_q <= waits_q + 2'd1;
    end
  logic fell_q;
  wire  fall = waits_q == 2'd3 && waited_q && !fell_q;
  always_ff @(posedge aclk) fell_q <= aresetn && (fell_q || fall);

  always_ff @(posedge aclk) if (aresetn && fault == 4'd12 && in && s_axis_tlast && packets_in_q == 32'd1) $stop;

  assign s_axis_tready = ready && !hang;
  assign m_axis_tvalid = valid && !bubble_q && !fall;
  assign m_axis_tlast  = last && !(fault == 4'd3 && !Quiet && packets_out_q == 32'd1) && !(fault == 4'd9 && met_traffic_q);
  assign m_axis_tdata  = data ^ {255'd0, flip};

  gw_compressor u_compressor (
    .aclk, .aresetn, .bound_i, .bounded_i, .s_axis_tdata, .s_axis_tkeep,
    .s_axis_tvalid (s_axis_tvalid && !hang),
    .s_axis_tready (ready),
    .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata  (data),
    .m_axis_tkeep,
    .m_axis_tvalid (valid),
    .m_axis_tready (m_axis_tready && !bubble_q && !fall),
    .m_axis_tlast  (last),
    .m_axis_tuser, .error_count_o
  );
endmodule

`default_nettype wire
