// Proof obligation of gw_arbiter: a port that has a frame waits for at most three other frames, and while one has a
// frame the arbiter is idle for no more than a cycle.
`include "gw_assert.svh"
`default_nettype none

module gw_arbiter_props (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic [3:0] arrive_i,  // free: a frame becomes available
  input wire logic [3:0] more_i,    // free: another one is behind the one that is served
  input wire logic       end_i      // free: the served frame ends
);
  logic [3:0] pending_q;
  logic       active;
  logic [1:0] port;
  wire        last = active && end_i && pending_q[port];
  gw_arbiter u_dut (
    .clk_i, .rst_ni, .valid_i(pending_q), .more_i(more_i), .last_i(last), .active_o(active), .port_o(port)
  );
  wire [3:0] own = {3'd0, active} << port;

  // Frames of others that began since a port's frame became available. Idle cycles while one is.
  logic [2:0] waits_q [0:3];
  logic       idle_q;
  wire        choose = !active || last;
  wire [3:0]  request = (pending_q & ~own) | (more_i & own);
  logic [1:0] chosen;
  always_comb begin
    chosen = port;
    if (request[port + 2'd3]) chosen = port + 2'd3;
    if (request[port + 2'd2]) chosen = port + 2'd2;
    if (request[port + 2'd1]) chosen = port + 2'd1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= '0;
      idle_q    <= 1'b0;
      for (int p = 0; p < 4; p++) waits_q[p] <= '0;
    end else begin
      idle_q <= !active && |pending_q;
      for (int p = 0; p < 4; p++) begin
        if (last && port == p[1:0]) pending_q[p] <= more_i[p];
        else if (arrive_i[p]) pending_q[p] <= 1'b1;
        if (!pending_q[p] || own[p]) waits_q[p] <= '0;
        else if (choose && chosen != p[1:0]) waits_q[p] <= waits_q[p] + 3'd1;
      end
    end
  end

  wire [3:0] fair;
  for (genvar p = 0; p < 4; p++) begin : gen_port
    localparam logic [1:0] P = p;
    wire [1:0] distance = P - port - 2'd1;
    wire       waiting  = pending_q[p] && !own[p];
    assign fair[p] = !waiting || {1'b0, waits_q[p]} + {2'b00, distance} <= 4'd3;
  end
  // A port waits for three others; the port that hands over is served again.
  wire [1:0] covers = {last && more_i[port] && chosen == port, waits_q[0] == 3'd3};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(WaitsForThreeAtMost, &fair)
  `GW_ASSERT(IdleForOneCycle, !(idle_q && !active))
  `GW_ASSERT(ServesWhatIsThere, !active || pending_q[port])
endmodule

`default_nettype wire
