// What gw_nic_tx_flows promises: a flow is known, with its phase, from when it is learned until another one of its place is, or it is
// forgotten; the two directions of a connection have two places. Any one place, chosen freely, is followed.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx_flows_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [1:0]  at_i,     // free: the followed place, chosen in reset
  input wire logic [95:0] key_i,    // free, as all below
  input wire logic        learn_i,
  input wire logic        forget_i,
  input wire logic [1:0]  phase_i
);
  wire        forget = forget_i && !learn_i;
  logic       known, evicted, forgotten;
  logic [1:0] phase;
  gw_nic_tx_flows u_dut (
    .clk_i, .rst_ni, .key_i, .known_o(known), .phase_o(phase), .learn_i, .phase_i, .evicted_o(evicted), .forget_i(forget),
    .forgotten_o(forgotten)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [3:0]  used_q;
  (* keep *) wire [97:0] entry0_q, entry1_q, entry2_q, entry3_q;

  // The contract's place, its bits 7 and 0: the smaller end is told from the greater one byte by byte, as they come on the wire.
  function automatic [1:0] place(input [95:0] key);
    logic greater, equal;
    place   = '0;
    greater = 1'b0;
    equal   = 1'b1;
    for (int i = 0; i < 12; i++) place = place ^ {key[8*i + 7], key[8*i]};
    for (int i = 0; i < 4; i++) begin
      if (equal && key[8*i +: 8] > key[8*(i + 4) +: 8]) greater = 1'b1;
      if (key[8*i +: 8] != key[8*(i + 4) +: 8]) equal = 1'b0;
    end
    for (int i = 8; i < 10; i++) begin
      if (equal && key[8*i +: 8] > key[8*(i + 2) +: 8]) greater = 1'b1;
      if (key[8*i +: 8] != key[8*(i + 2) +: 8]) equal = 1'b0;
    end
    place = place ^ {greater, 1'b0};
  endfunction
  wire [95:0] back = {key_i[79:64], key_i[95:80], key_i[31:0], key_i[63:32]};

  logic [1:0]  at_q;
  logic        there_q;
  logic [97:0] entry_q;  // what the place holds
  wire         here  = place(key_i) == at_q;
  wire         is_it = here && there_q && entry_q[95:0] == key_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q    <= at_i;
      there_q <= 1'b0;
    end else if (here && learn_i) begin
      there_q <= 1'b1;
      entry_q <= {phase_i, key_i};
    end else if (is_it && forget) begin
      there_q <= 1'b0;
    end
  end

  wire [97:0] entry_here = at_q[1] ? (at_q[0] ? entry3_q : entry2_q) : (at_q[0] ? entry1_q : entry0_q);
  wire [3:0]  covers = {is_it && phase == 2'd3, here && evicted, here && forgotten, here && there_q && forget && !forgotten};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(KnownIsLearned, !here || known == is_it)
  `GW_ASSERT(PhaseIsLearned, !is_it || phase == entry_q[97:96])
  `GW_ASSERT(EvictedIsCounted, !here || evicted == (learn_i && there_q && !is_it))
  `GW_ASSERT(ForgottenIsCounted, !here || forgotten == (forget && is_it))
  `GW_ASSERT(TwoDirectionsTwoPlaces, back == key_i || place(back) != place(key_i))
  // The table, so that the above holds by induction.
  `GW_ASSERT(TableIsTaught, there_q == used_q[at_q] && (!there_q || entry_q == entry_here))
endmodule

`default_nettype wire
