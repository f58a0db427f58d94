// The toy of tests/harness/scaler.h as RTL, by the contract there: a skid register that multiplies the words of a packet by
// a factor, which a host writes over AXI4-Lite.
`default_nettype none

module gw_scaler #(
  parameter int AddressBits = 6,
  parameter int Mutant = 0  // 1: a write's strobes are ignored; 2: no address is refused; 3: rdata changes while it waits
) (
  input  wire logic                   aclk, aresetn,
  input  wire logic [255:0]           s_axis_tdata,
  input  wire logic [31:0]            s_axis_tkeep,
  input  wire logic                   s_axis_tvalid, s_axis_tlast, s_axis_tuser,
  output logic                        s_axis_tready,
  output logic [255:0]                m_axis_tdata,
  output logic [31:0]                 m_axis_tkeep,
  output logic                        m_axis_tvalid, m_axis_tlast, m_axis_tuser,
  input  wire logic                   m_axis_tready,
  input  wire logic                   s_axil_awvalid,
  output logic                        s_axil_awready,
  input  wire logic [AddressBits-1:0] s_axil_awaddr,
  input  wire logic                   s_axil_wvalid,
  output logic                        s_axil_wready,
  input  wire logic [31:0]            s_axil_wdata,
  input  wire logic [3:0]             s_axil_wstrb,
  output logic                        s_axil_bvalid,
  input  wire logic                   s_axil_bready,
  output logic [1:0]                  s_axil_bresp,
  input  wire logic                   s_axil_arvalid,
  output logic                        s_axil_arready,
  input  wire logic [AddressBits-1:0] s_axil_araddr,
  output logic                        s_axil_rvalid,
  input  wire logic                   s_axil_rready,
  output logic [1:0]                  s_axil_rresp,
  output logic [31:0]                 s_axil_rdata,
  output logic                        event_o
);
  localparam logic [1:0] Okay = 2'b00, SlvErr = 2'b10;

  // The stream: a register to show, one to spare.
  logic [289:0] shown_q, spare_q, in;
  logic spare_full_q, begins_q, accepts;
  logic [31:0] factor_q, used_q, factor, packets_q;
  logic awake_q, address_full_q, data_full_q, read_full_q;
  always_comb begin
    s_axis_tready = awake_q && !spare_full_q;
    accepts = s_axis_tvalid && s_axis_tready;
    factor = begins_q ? factor_q : used_q;
    in = {s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    for (int i = 0; i < 8; i = i + 1) in[32*i +: 32] = s_axis_tdata[32*i +: 32] * factor;
    {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = shown_q;
    s_axil_awready = awake_q && !address_full_q;
    s_axil_wready = awake_q && !data_full_q;
    s_axil_arready = awake_q && !read_full_q;
  end
  always_ff @(posedge aclk) begin
    awake_q <= 1'b1;
    event_o <= accepts && s_axis_tlast;
    if (accepts) begin
      used_q <= factor;
      begins_q <= s_axis_tlast;
      packets_q <= packets_q + 32'(s_axis_tlast);
    end
    if (!m_axis_tvalid || m_axis_tready) begin
      m_axis_tvalid <= spare_full_q || accepts;
      shown_q <= spare_full_q ? spare_q : in;
      spare_full_q <= 1'b0;
    end else if (accepts) begin
      spare_q <= in;
      spare_full_q <= 1'b1;
    end
    if (!aresetn) begin
      awake_q <= 1'b0;
      event_o <= 1'b0;
      begins_q <= 1'b1;
      packets_q <= 32'd0;
      m_axis_tvalid <= 1'b0;
      spare_full_q <= 1'b0;
    end
  end

  // The registers: what awaits on each channel, and the responses.
  logic [AddressBits-1:0] address_q, read_q;
  logic [31:0] data_q;
  logic [3:0] strb_q;
  always_ff @(posedge aclk) begin
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (address_full_q && data_full_q && (!s_axil_bvalid || s_axil_bready)) begin
      address_full_q <= 1'b0;
      data_full_q <= 1'b0;
      s_axil_bvalid <= 1'b1;
      s_axil_bresp <= address_q == AddressBits'(4) || Mutant == 2 ? Okay : SlvErr;
      for (int b = 0; b < 4; b = b + 1) begin
        if (address_q == AddressBits'(4) && (strb_q[b] || Mutant == 1)) factor_q[8*b +: 8] <= data_q[8*b +: 8];
      end
    end
    if (s_axil_awvalid && s_axil_awready) begin
      address_full_q <= 1'b1;
      address_q <= s_axil_awaddr;
    end
    if (s_axil_wvalid && s_axil_wready) begin
      data_full_q <= 1'b1;
      data_q <= s_axil_wdata;
      strb_q <= s_axil_wstrb;
    end
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    else if (Mutant == 3) s_axil_rdata <= s_axil_rdata + 32'd1;
    if (read_full_q && (!s_axil_rvalid || s_axil_rready)) begin
      read_full_q <= 1'b0;
      s_axil_rvalid <= 1'b1;
      s_axil_rresp <= Okay;
      s_axil_rdata <= read_q == AddressBits'(0) ? 32'h5CA1_E001
                    : read_q == AddressBits'(4) ? factor_q : packets_q + 32'(accepts && s_axis_tlast);
      if (read_q >= AddressBits'(12)) begin
        s_axil_rresp <= SlvErr;
        s_axil_rdata <= 32'd0;
      end
    end
    if (s_axil_arvalid && s_axil_arready) begin
      read_full_q <= 1'b1;
      read_q <= s_axil_araddr;
    end
    if (!aresetn) begin
      factor_q <= 32'd1;
      address_full_q <= 1'b0;
      data_full_q <= 1'b0;
      read_full_q <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end
endmodule

`default_nettype wire
