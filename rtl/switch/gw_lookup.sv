// Output Port Lookup: learns which station is at which port, by VLAN, and says where a frame goes.
// Latency 4 cycles, a frame every other cycle (two-beat frames without a gap).
// Optimizer switch (IEICE'21) section 5.1, Figure 11; models/reference/lookup/lookup.h has the table.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_lookup (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         offered_i, // a frame's first beat is there
  input  wire logic         first_i,   // and passes
  input  wire logic [255:0] data_i,
  input  wire logic [1:0]   port_i,    // it came in by
  output logic              valid_o,
  output logic [3:0]        mask_o,    // the ports it goes to
  output logic [31:0]       flooded_o,
  output logic [31:0]       filtered_o
);
  // In the order in which bytes lie in the beat; a table does not mind.
  logic        valid1_q, valid2_q, valid3_q;
  logic [47:0] source1_q, target1_q, target2_q, target3_q;
  logic [11:0] vlan1_q, vlan2_q, vlan3_q;
  logic [1:0]  port1_q, port2_q, port3_q;
  wire         has_tag = data_i[8*12 +: 16] == 16'h0081;
  wire  [11:0] vlan   = has_tag ? {data_i[8*14 +: 4], data_i[8*15 +: 8]} : 12'd0;

  // Where a station is in the table.
  wire [7:0] learn_at = source1_q[7:0] ^ source1_q[15:8] ^ source1_q[23:16] ^ source1_q[31:24]
                        ^ source1_q[39:32] ^ source1_q[47:40] ^ vlan1_q[7:0] ^ {4'd0, vlan1_q[11:8]};
  wire [7:0] find_at1 = target1_q[7:0] ^ target1_q[15:8] ^ target1_q[23:16] ^ target1_q[31:24]
                        ^ target1_q[39:32] ^ target1_q[47:40] ^ vlan1_q[7:0] ^ {4'd0, vlan1_q[11:8]};

  // One cycle to learn, the next one to find: a frame's own source counts. The third one compares.
  logic [7:0]   find_at2_q;
  logic [255:0] known_q;
  typedef struct packed {
    logic [1:0]  port;
    logic [11:0] vlan;
    logic [47:0] mac;
  } entry_t;
  (* ram_style = "distributed" *) logic [61:0] table_q [0:255];
  logic         known3_q;
  entry_t       found3_q;
  wire          hit   = known3_q && {found3_q.vlan, found3_q.mac} == {vlan3_q, target3_q} && !target3_q[0];
  wire          same  = found3_q.port == port3_q;
  wire  [3:0]   here  = 4'd1 << port3_q;
  wire          learn = valid1_q && !source1_q[0];  // bit 0 of a MAC's first byte: a group address
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q   <= 1'b0;
      valid2_q   <= 1'b0;
      valid3_q   <= 1'b0;
      valid_o    <= 1'b0;
      known_q    <= '0;
      flooded_o  <= '0;
      filtered_o <= '0;
    end else begin
      valid1_q <= first_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid_o  <= valid3_q;
      if (learn) known_q[learn_at] <= 1'b1;
      flooded_o  <= flooded_o + {31'd0, valid3_q && !hit};
      filtered_o <= filtered_o + {31'd0, valid3_q && hit && same};
    end
  end
  always_ff @(posedge clk_i) begin
    if (offered_i) begin  // not `first_i`, which is late: the beat that passes is the last one taken
      target1_q <= data_i[47:0];
      source1_q <= data_i[95:48];
      vlan1_q   <= vlan;
      port1_q   <= port_i;
    end
    if (learn) table_q[learn_at] <= {port1_q, vlan1_q, source1_q};
    find_at2_q <= find_at1;
    target2_q  <= target1_q;
    vlan2_q    <= vlan1_q;
    port2_q    <= port1_q;
    known3_q   <= known_q[find_at2_q];
    found3_q   <= table_q[find_at2_q];
    target3_q  <= target2_q;
    vlan3_q    <= vlan2_q;
    port3_q    <= port2_q;
    mask_o     <= !hit ? ~here : same ? 4'd0 : 4'd1 << found3_q.port;
  end
  wire unused_data = ^{data_i[255:128], data_i[119:116]};
endmodule

`default_nettype wire
