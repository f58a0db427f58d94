// Input Arbiter: serves four ports in turn, a frame at a time.
// Decides with a frame's last beat, so that the next frame follows without a gap; one cycle from idle.
// Optimizer switch (IEICE'21) section 5.1, Figure 11; contract in docs/devices/switch.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_arbiter (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [3:0] valid_i,  // a port offers a beat
  input  wire logic [3:0] more_i,   // and has another one after it
  input  wire logic       last_i,   // the served port's beat is the last of its frame, and goes in this cycle
  output logic            active_o, // a port is served
  output logic [1:0]      port_o    // which one; while none is, the one that was last
);
  // The port that hands its last beat over requests if another frame is after it.
  wire [3:0] own     = {3'd0, active_o} << port_o;
  wire [3:0] request = (valid_i & ~own) | (more_i & own);
  // From the one after the current port on.
  wire [1:0] p1 = port_o + 2'd1;
  wire [1:0] p2 = port_o + 2'd2;
  wire [1:0] p3 = port_o + 2'd3;
  wire [1:0] next = request[p1] ? p1 : request[p2] ? p2 : request[p3] ? p3 : port_o;
  wire       choose = !active_o || last_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_o <= 1'b0;
      port_o   <= 2'd3;
    end else if (choose) begin
      active_o <= |request;
      if (|request) port_o <= next;
    end
  end

  `GW_COVER(AllRequest, choose && &request)
  `GW_COVER(NoneRequests, active_o && last_i && request == 4'd0)
  `GW_COVER(TheSameAgain, active_o && last_i && |request && next == port_o)
  `GW_COVER(FromIdle, !active_o && |request)
endmodule

`default_nettype wire
