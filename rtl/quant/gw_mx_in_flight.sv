// Rows of the residual memory that have been read and not yet written: holds an item back that would read one of them.
// Combinational from the row that is offered; a row is in flight from the cycle behind its start to `Behind` cycles behind its pop.
// docs/devices/mx.md, start, condition 3; gw_interlock of rtl/switch knows frames in adders only, whose latency is fixed.
`include "gw_assert.svh"
`default_nettype none

// Items are popped in the order in which they started. At most 15 are in flight: five on their way to the block, four in it, six behind.
module gw_mx_in_flight #(
  parameter int RowBits = 13,
  parameter int Behind = 6
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic [RowBits-1:0] row_i,
  output logic                    conflict_o,
  input  wire logic               start_i,   // an item of this row starts; not while conflict_o
  input  wire logic               pop_i,     // the oldest that has not been popped is
  output logic [RowBits-1:0]      row_o      // of the item popped Behind cycles ago, which is written now
);
  localparam int Places = 16;
  logic [3:0]         write_q, read_q;
  logic [RowBits-1:0] row_q [0:Places-1];
  logic [Places-1:0]  held_q;
  logic [Behind:1]    popped_q;
  (* ram_style = "distributed" *) logic [RowBits-1:0] order_memory [0:Places-1];

  wire [Places-1:0] equal;
  for (genvar i = 0; i < Places; i++) begin : gen_place
    assign equal[i] = held_q[i] && row_q[i] == row_i;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) held_q[i] <= 1'b0;
      else         held_q[i] <= (held_q[i] && !(popped_q[Behind] && read_q == i)) || (start_i && write_q == i);
      if (write_q == i) row_q[i] <= row_i;  // its place is free, so that nobody looks until an item starts
    end
  end
  assign conflict_o = |equal;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      read_q   <= '0;
      popped_q <= '0;
    end else begin
      if (start_i) write_q <= write_q + 4'd1;
      if (popped_q[Behind]) read_q <= read_q + 4'd1;
      popped_q <= {popped_q[Behind-1:1], pop_i};
    end
  end
  always_ff @(posedge clk_i) order_memory[write_q] <= row_i;
  // The write follows one cycle behind the last look at the pointer.
  wire [3:0] next = read_q + {3'd0, popped_q[Behind]};
  always_ff @(posedge clk_i) row_o <= order_memory[next];

  `GW_ASSERT(StartsOnlyIfNotInFlight, !start_i || !conflict_o)
  `GW_ASSERT(PlaceIsFree, !start_i || !held_q[write_q])
  `GW_ASSERT(OldestIsHeld, !popped_q[Behind] || held_q[read_q])
  `GW_COVER(RowIsInFlight, conflict_o)
  `GW_COVER(AllButOneHeld, held_q == ~(16'd1 << write_q))
endmodule

`default_nettype wire
