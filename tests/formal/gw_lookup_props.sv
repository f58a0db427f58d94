// What gw_lookup promises: where a frame goes is what the frames before it, and its own source, have taught, four cycles after its
// first beat. Any one place of the table, chosen freely, is followed through all that is learned in it; what is looked up elsewhere
// is another choice's.
`include "gw_assert.svh"
`default_nettype none

module gw_lookup_props (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic         offered_i,
  input wire logic         taken_i,  // free: what is offered is a first beat, and passes (not two cycles in a row)
  input wire logic [1:0]   at_i,     // free: the followed place, chosen in reset
  input wire logic [255:0] data_i,
  input wire logic [1:0]   port_i
);
  logic        first_q;
  wire         first = offered_i && taken_i && rst_ni && !first_q;
  logic        valid;
  logic [3:0]  mask;
  logic [31:0] flooded, filtered;
  gw_lookup u_dut (
    .clk_i, .rst_ni, .offered_i, .first_i(first), .data_i, .port_i, .valid_o(valid), .mask_o(mask), .flooded_o(flooded),
    .filtered_o(filtered)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire        valid1_q, valid2_q, valid3_q, known3_q;
  (* keep *) wire [47:0] source1_q, target1_q, target2_q, target3_q;
  (* keep *) wire [11:0] vlan1_q, vlan2_q, vlan3_q;
  (* keep *) wire [1:0]  port1_q, port2_q, port3_q;
  (* keep *) wire [1:0]  find_at2_q;
  (* keep *) wire [3:0]  known_q;
  (* keep *) wire [61:0] found3_q, entry0_q, entry1_q, entry2_q, entry3_q;

  // The contract: where a station's place is, and where a frame goes by what is there. Bit 0 of a MAC's first byte: a group's.
  function automatic [1:0] place(input [11:0] vlan, input [47:0] mac);
    place = vlan[1:0] ^ vlan[9:8];
    for (int i = 0; i < 6; i++) place = place ^ mac[8*i +: 2];
  endfunction
  // {filtered, flooded, mask}
  function automatic [5:0] route(input known, input [61:0] entry, input [11:0] vlan, input [47:0] target, input [1:0] port);
    route = {2'b01, 4'b1111 & ~(4'd1 << port)};
    if (known && entry[59:0] == {vlan, target} && !target[0]) begin
      route = entry[61:60] == port ? 6'b10_0000 : {2'b00, 4'd1 << entry[61:60]};
    end
  endfunction

  // The followed place, and what is in it by the contract.
  logic [1:0]  at_q;
  logic        taught_q;
  logic [61:0] entry_q;
  wire  [47:0] target = data_i[47:0], source = data_i[95:48];
  wire         tagged = data_i[103:96] == 8'h81 && data_i[111:104] == 8'h00;
  wire  [11:0] vlan = tagged ? {data_i[115:112], data_i[127:120]} : 12'd0;
  wire         teaches = first && !source[0] && place(vlan, source) == at_q;
  wire  [61:0] taught = {port_i, vlan, source};
  wire         asked = place(vlan, target) == at_q;

  // A frame on its way: whether it asks the followed place, and where it must go.
  logic [4:1] frame_q, asks_q;
  logic [5:0] route1_q, route2_q, route3_q, route4_q;
  logic [31:0] flooded_q, filtered_q;
  always_ff @(posedge clk_i) begin
    if (teaches) entry_q <= taught;
    asks_q   <= {asks_q[3:1], asked};
    route1_q <= route(taught_q || teaches, teaches ? taught : entry_q, vlan, target, port_i);
    route2_q <= route1_q;
    route3_q <= route2_q;
    route4_q <= route3_q;
    flooded_q  <= flooded;
    filtered_q <= filtered;
    if (!rst_ni) begin
      at_q     <= at_i;
      first_q  <= 1'b0;
      taught_q <= 1'b0;
      frame_q  <= '0;
    end else begin
      first_q  <= first;
      taught_q <= taught_q || teaches;
      frame_q  <= {frame_q[3:1], first};
    end
  end

  wire        known_here = known_q[at_q];
  wire [61:0] entry_here = at_q[1] ? (at_q[0] ? entry3_q : entry2_q) : (at_q[0] ? entry1_q : entry0_q);
  wire        learns = valid1_q && !source1_q[0] && place(vlan1_q, source1_q) == at_q;
  wire        frame4 = frame_q[4] && asks_q[4];
  wire [3:0]  covers = {frame4 && mask == 4'd4, frame4 && flooded != flooded_q && known_here, frame4 && filtered != filtered_q,
                        valid && frame_q[2]};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(FourCyclesLater, valid == frame_q[4])
  `GW_ASSERT(GoesWhereItMust, !frame4 || mask == route4_q[3:0])
  `GW_ASSERT(FloodedIsCounted, !frame4 || flooded == flooded_q + {31'd0, route4_q[4]})
  `GW_ASSERT(FilteredIsCounted, !frame4 || filtered == filtered_q + {31'd0, route4_q[5]})
  `GW_ASSERT(CountedWithAFrame, valid || !(|frame_q) || (flooded == flooded_q && filtered == filtered_q))
  // The stages, so that the above holds by induction.
  `GW_ASSERT(StagesAreTheContract, {valid3_q, valid2_q, valid1_q} == frame_q[3:1] && first_q == frame_q[1])
  `GW_ASSERT(NotTwoInARow, !(|(frame_q[4:2] & frame_q[3:1])))
  `GW_ASSERT(TableIsTaught, learns ? taught_q && entry_q == {port1_q, vlan1_q, source1_q}
                            : taught_q == known_here && (!taught_q || entry_q == entry_here))
  `GW_ASSERT(FirstStage, !valid1_q || (asks_q[1] == (place(vlan1_q, target1_q) == at_q)
                         && (!asks_q[1] || route1_q == route(taught_q, entry_q, vlan1_q, target1_q, port1_q))))
  `GW_ASSERT(SecondStage, !valid2_q || (asks_q[2] == (find_at2_q == at_q)
                          && (!asks_q[2] || route2_q == route(taught_q, entry_q, vlan2_q, target2_q, port2_q))))
  `GW_ASSERT(ThirdStage, !(valid3_q && asks_q[3]) || route3_q == route(known3_q, found3_q, vlan3_q, target3_q, port3_q))
endmodule

`default_nettype wire
