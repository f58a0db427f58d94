// What gw_axil_slave promises (docs/registers/README.md), bound around it from outside: one response for each request, in the cycles
// of the contract, payload stable while it waits, one access at a time, nothing in reset. The master may do anything.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_axil_slave_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [1:0]  awaddr_i,
  input wire logic        awvalid_i,
  input wire logic [31:0] wdata_i,
  input wire logic [3:0]  wstrb_i,
  input wire logic        wvalid_i,
  input wire logic        bready_i,
  input wire logic [1:0]  araddr_i,
  input wire logic        arvalid_i,
  input wire logic        rready_i,
  input wire logic        write_error_i,
  input wire logic [31:0] read_data_i,
  input wire logic        read_error_i
);
  logic        awready, wready, bvalid, arready, rvalid, write, read;
  logic [1:0]  bresp, rresp, select_address, address;
  logic [31:0] rdata, data;
  logic [3:0]  strobe;
  gw_axil_slave #(.AddressBits(2)) u_dut (
    .clk_i, .rst_ni,
    .s_axil_awaddr(awaddr_i), .s_axil_awvalid(awvalid_i), .s_axil_awready(awready),
    .s_axil_wdata(wdata_i), .s_axil_wstrb(wstrb_i), .s_axil_wvalid(wvalid_i), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready_i),
    .s_axil_araddr(araddr_i), .s_axil_arvalid(arvalid_i), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready_i),
    .select_address_o(select_address), .address_o(address), .write_o(write), .data_o(data), .strobe_o(strobe),
    .write_error_i, .read_o(read), .read_data_i, .read_error_i
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire       address_open_q, data_open_q, read_open_q, write_begun_q, read_begun_q;
  (* keep *) wire [2:0] looked_q;
  (* keep *) wire [1:0] held_write_address, held_read_address;

  // Outside: what has been accepted and not answered, and how long ago it came to be complete.
  wire aw = awvalid_i & awready, w = wvalid_i & wready, b = bvalid & bready_i;
  wire ar = arvalid_i & arready, r = rvalid & rready_i;
  logic        has_address_q, has_data_q, has_read_q, reset_q, complete1_q, complete2_q, complete3_q;
  logic        accepted1_q, accepted2_q, late2_q, late3_q, write_waits_q, read_waits_q;
  logic [1:0]  write_address_q, read_address_q, bresp_q, rresp_q;
  logic [31:0] data_q, rdata_q;
  logic [3:0]  strobe_q;
  logic        look1_q, look2_q, look3_q, look4_q;
  wire complete = (aw | has_address_q) & (w | has_data_q) & (aw | w);
  always_ff @(posedge clk_i) begin
    reset_q <= !rst_ni;
    if (!rst_ni) begin
      {has_address_q, has_data_q, has_read_q, complete1_q, complete2_q, complete3_q} <= 6'd0;
      {accepted1_q, accepted2_q, late2_q, late3_q, write_waits_q, read_waits_q} <= 6'd0;
      {look1_q, look2_q, look3_q, look4_q} <= 4'd0;
    end else begin
      has_address_q <= (has_address_q | aw) & ~b;
      has_data_q    <= (has_data_q | w) & ~b;
      has_read_q    <= (has_read_q | ar) & ~r;
      complete1_q   <= complete;     // x + 1: selected
      complete2_q   <= complete1_q;  // x + 2: done
      complete3_q   <= complete2_q;  // x + 3: answered
      accepted1_q   <= ar;                           // a + 1: selected, unless a write is
      accepted2_q   <= accepted1_q & ~complete1_q;   // a + 2: looks
      late2_q       <= accepted1_q & complete1_q;    // a + 2: selected
      late3_q       <= late2_q;                      // a + 3: looks
      look1_q       <= accepted2_q | late3_q;
      look2_q       <= look1_q;
      look3_q       <= look2_q;
      look4_q       <= look3_q;
      write_waits_q <= bvalid & ~bready_i;
      read_waits_q  <= rvalid & ~rready_i;
    end
  end
  logic [1:0]  answer_q, found_resp_q;
  logic [31:0] found_q;
  always_ff @(posedge clk_i) begin
    if (aw) write_address_q <= awaddr_i;
    if (ar) read_address_q <= araddr_i;
    if (w) {strobe_q, data_q} <= {wstrb_i, wdata_i};
    if (complete2_q) answer_q <= {write_error_i, 1'b0};
    if (look3_q) {found_resp_q, found_q} <= {read_error_i, 1'b0, read_error_i ? 32'd0 : read_data_i};
    {bresp_q, rresp_q, rdata_q} <= {bresp, rresp, rdata};
  end

  // A read that a write delayed is answered in the cycle in which the write's response still waits; both wait and are refused.
  wire [2:0] covers = {rvalid && !rready_i && rresp[1], read_waits_q && write_waits_q && bresp[1], late3_q && bvalid};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(NothingInReset, !reset_q || !(awready | wready | bvalid | arready | rvalid | write | read))
  `GW_ASSERT(ReadyUnlessOneIsOpen, reset_q || (awready != has_address_q && wready != has_data_q && arready != has_read_q))
  `GW_ASSERT(ResponseForBoth, !bvalid || (has_address_q && has_data_q))
  `GW_ASSERT(ResponseForRead, !rvalid || has_read_q)
  `GW_ASSERT(WriteIsDone, write == complete2_q)
  `GW_ASSERT(WriteIsAnswered, bvalid == (complete3_q || write_waits_q))
  `GW_ASSERT(ReadLooks, read == (accepted2_q || late3_q))
  `GW_ASSERT(ReadIsAnswered, rvalid == (look4_q || read_waits_q))
  `GW_ASSERT(NeverBoth, !(write && read))
  `GW_ASSERT(WriteAsAccepted, !write || (address == write_address_q && data == data_q && strobe == strobe_q))
  `GW_ASSERT(ReadAsAccepted, !read || address == read_address_q)
  `GW_ASSERT(AnswerOfWrite, !bvalid || bresp == answer_q)
  `GW_ASSERT(AnswerOfRead, !rvalid || (rresp == found_resp_q && rdata == found_q))
  `GW_ASSERT(StableWrite, !write_waits_q || (bvalid && bresp == bresp_q))
  `GW_ASSERT(StableRead, !read_waits_q || (rvalid && rresp == rresp_q && rdata == rdata_q))
  // What ties the two together, for the induction.
  `GW_ASSERT(SameOpen, address_open_q == has_address_q && data_open_q == has_data_q && read_open_q == has_read_q)
  `GW_ASSERT(SameBegun, write_begun_q == (complete2_q || complete3_q || write_waits_q))
  `GW_ASSERT(SameBegunRead, read_begun_q == (accepted2_q || late3_q || look1_q || look2_q || look3_q || look4_q || read_waits_q))
  `GW_ASSERT(SameLooked, looked_q == {look3_q, look2_q, look1_q})
  `GW_ASSERT(SameWrite, (!has_address_q || held_write_address == write_address_q)
                        && (!has_data_q || (data == data_q && strobe == strobe_q)))
  `GW_ASSERT(SameRead, !has_read_q || held_read_address == read_address_q)
  `GW_ASSERT(OneWrite, (has_address_q && has_data_q) == (complete1_q || write_begun_q))
  `GW_ASSERT(OneRead, has_read_q == (accepted1_q || late2_q || read_begun_q))
endmodule

`default_nettype wire
