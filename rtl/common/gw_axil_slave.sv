// AXI4-Lite slave: five channels outside; inside one access at a time, a write or a read, never both in a
// cycle.
// A write is done two cycles after its address and data, a read looks two or three after its address and
// answers six or seven after it.
// Common cell; contract in docs/registers/README.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// For the register blocks that tools/registers makes. An access is selected one cycle before it is done, so
// that its address can be decoded by then; what a read finds is asked for three cycles after it looked, so
// that it may come out of a memory.
module gw_axil_slave #(
  parameter int AddressBits = 12
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [AddressBits-1:0] s_axil_awaddr,
  input  wire logic                   s_axil_awvalid,
  output logic                        s_axil_awready,
  input  wire logic [31:0]            s_axil_wdata,
  input  wire logic [3:0]             s_axil_wstrb,
  input  wire logic                   s_axil_wvalid,
  output logic                        s_axil_wready,
  output logic [1:0]                  s_axil_bresp,
  output logic                        s_axil_bvalid,
  input  wire logic                   s_axil_bready,
  input  wire logic [AddressBits-1:0] s_axil_araddr,
  input  wire logic                   s_axil_arvalid,
  output logic                        s_axil_arready,
  output logic [31:0]                 s_axil_rdata,
  output logic [1:0]                  s_axil_rresp,
  output logic                        s_axil_rvalid,
  input  wire logic                   s_axil_rready,
  // of the access that is done in the next cycle, if any is
  output logic [AddressBits-1:0]      select_address_o,
  output logic [AddressBits-1:0]      address_o,         // of the one that is done in this cycle
  output logic                        write_o,           // a write is done
  // of a write, from its selection on until its response is taken
  output logic [31:0]                 data_o,
  output logic [3:0]                  strobe_o,
  input  wire logic                   write_error_i,     // in that cycle
  output logic                        read_o,            // a read looks
  input  wire logic [31:0]            read_data_i,       // three cycles later
  input  wire logic                   read_error_i       // as well
);
  localparam logic [1:0] Okay   = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // Accepted and not answered yet: of each kind one at most.
  logic address_open_q, data_open_q, read_open_q;
  logic write_begun_q, read_begun_q;  // selected, and not answered yet
  wire  written = s_axil_bvalid & s_axil_bready;
  wire  read    = s_axil_rvalid & s_axil_rready;
  wire  address_open_d = (address_open_q | (s_axil_awvalid & s_axil_awready)) & ~written;
  wire  data_open_d    = (data_open_q    | (s_axil_wvalid  & s_axil_wready))  & ~written;
  wire  read_open_d    = (read_open_q    | (s_axil_arvalid & s_axil_arready)) & ~read;
  wire  select_write   = address_open_q & data_open_q & ~write_begun_q;
  wire  select_read    = read_open_q & ~read_begun_q & ~select_write;
  logic [2:0] looked_q;  // a read looked one, two, three cycles ago
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axil_awready <= 1'b0;
      s_axil_wready  <= 1'b0;
      s_axil_arready <= 1'b0;
      s_axil_bvalid  <= 1'b0;
      s_axil_rvalid  <= 1'b0;
      address_open_q <= 1'b0;
      data_open_q    <= 1'b0;
      read_open_q    <= 1'b0;
      write_begun_q  <= 1'b0;
      read_begun_q   <= 1'b0;
      write_o        <= 1'b0;
      read_o         <= 1'b0;
      looked_q       <= '0;
    end else begin
      s_axil_awready <= ~address_open_d;
      s_axil_wready  <= ~data_open_d;
      s_axil_arready <= ~read_open_d;
      s_axil_bvalid  <= write_o | (s_axil_bvalid & ~s_axil_bready);
      s_axil_rvalid  <= looked_q[2] | (s_axil_rvalid & ~s_axil_rready);
      address_open_q <= address_open_d;
      data_open_q    <= data_open_d;
      read_open_q    <= read_open_d;
      write_begun_q  <= (write_begun_q | select_write) & ~written;
      read_begun_q   <= (read_begun_q | select_read) & ~read;
      write_o        <= select_write;
      read_o         <= select_read;
      looked_q       <= {looked_q[1:0], read_o};
    end
  end

  logic [AddressBits-1:0] write_address_q, read_address_q;
  assign select_address_o = select_write ? write_address_q : read_address_q;
  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid & s_axil_awready) write_address_q <= s_axil_awaddr;
    if (s_axil_arvalid & s_axil_arready) read_address_q  <= s_axil_araddr;
    if (s_axil_wvalid & s_axil_wready) begin
      data_o   <= s_axil_wdata;
      strobe_o <= s_axil_wstrb;
    end
    address_o <= select_address_o;
    if (write_o) s_axil_bresp <= write_error_i ? SlvErr : Okay;
    if (looked_q[2]) begin
      s_axil_rresp <= read_error_i ? SlvErr : Okay;
      s_axil_rdata <= read_error_i ? 32'd0 : read_data_i;
    end
  end

  `GW_ASSERT(OneAtATime, !(write_o && read_o))
  `GW_ASSERT(NoResponseIsLost, !(write_o && s_axil_bvalid) && !(looked_q[2] && s_axil_rvalid))
endmodule

`default_nettype wire
