// Flow table: where floats begin in each TCP stream. 256 flows, direct mapped by the XOR of the key's bytes; a newer one evicts.
// Combinational lookup, one a cycle; what is learned is there from the next cycle on.
// INCEPTIONN (MICRO'18) section VI-A is silent about where a float begins in a segment; ours, docs/devices/nic_tx.md.
`default_nettype none

module gw_nic_tx_flows (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [95:0] key_i,      // addresses and ports
  output logic             known_o,
  output logic [1:0]       phase_o,    // of the stream's first byte's number, while known_o is 1
  input  wire logic        learn_i,    // key_i's phase is phase_i
  input  wire logic [1:0]  phase_i,
  output logic             evicted_o   // by that, another flow goes
);
  wire [7:0] place = key_i[7:0] ^ key_i[15:8] ^ key_i[23:16] ^ key_i[31:24] ^ key_i[39:32] ^ key_i[47:40]
                   ^ key_i[55:48] ^ key_i[63:56] ^ key_i[71:64] ^ key_i[79:72] ^ key_i[87:80] ^ key_i[95:88];
  logic [255:0] used_q;
  (* ram_style = "distributed" *) logic [97:0] memory_q [0:255];
  wire [97:0] entry = memory_q[place];
  wire        same  = entry[95:0] == key_i;
  assign known_o   = used_q[place] & same;
  assign phase_o   = entry[97:96];
  assign evicted_o = learn_i & used_q[place] & ~same;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else if (learn_i) used_q[place] <= 1'b1;
  end
  always_ff @(posedge clk_i) if (learn_i) memory_q[place] <= {phase_i, key_i};
endmodule

`default_nettype wire
