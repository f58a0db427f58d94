// Proof obligation of gw_interlock: whatever frames come, in whatever pauses, no row of a slot is read before the beat
// that read it last has written it.
`include "gw_assert.svh"
`default_nettype none

module gw_interlock_props #(
  parameter int A = 5,
  parameter int SlotBits = 2
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic                offered_i,
  input wire logic                go_i,
  input wire logic                last_i,
  input wire logic                new_candidate_i,
  input wire logic [SlotBits-1:0] new_slot_i,
  input wire logic [2:0]          new_rows_i
);
  // A source of frames: what a frame is, is drawn with its first beat and stays.
  logic [2:0]          index_q;
  logic                candidate_q;
  logic [SlotBits-1:0] slot_q;
  logic [2:0]          rows_q;
  wire first = index_q == 3'd0;
  wire                candidate = first ? new_candidate_i : candidate_q;
  wire [SlotBits-1:0] slot      = first ? new_slot_i : slot_q;
  wire [2:0]          rows      = first ? new_rows_i : rows_q;
  wire                payload   = candidate && index_q >= 3'd2 && index_q <= 3'd5 && index_q - 3'd2 < rows;
  wire hazard;
  wire issue = offered_i && go_i && !hazard;
  gw_interlock #(.SlotBits(SlotBits), .AddLatency(A)) u_dut (
    .clk_i, .rst_ni, .candidate_i(candidate), .index_i(index_q), .slot_i(slot), .payload_i(payload), .issue_i(issue),
    .hazard_o(hazard)
  );

  // Rows that were read 1 .. A + 2 cycles ago, and not yet written: the write is at the edge A + 2 behind the read.
  logic [A+2:1]        read_q;
  logic [SlotBits-1:0] read_slot_q [1:A+2];
  logic [2:0]          read_row_q  [1:A+2];
  wire  [A+2:1]        stale;
  for (genvar j = 1; j <= A + 2; j++) begin : gen_stale
    assign stale[j] = read_q[j] && read_slot_q[j] == slot && read_row_q[j] == index_q;
  end

  // How long the current frame's first beat is ago, up to 7: it lies at least as far back as its beats are many.
  logic [2:0] since_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q <= '0;
      read_q  <= '0;
      since_q <= '0;
    end else begin
      if (issue) index_q <= last_i ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
      read_q  <= {read_q[A+1:1], issue && payload};
      since_q <= issue && first ? 3'd1 : since_q == 3'd7 ? 3'd7 : since_q + 3'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue && first) begin
      candidate_q <= new_candidate_i;
      slot_q      <= new_slot_i;
      rows_q      <= new_rows_i;
    end
    read_slot_q[1] <= slot;
    read_row_q[1]  <= index_q;
    for (int j = 2; j <= A + 2; j++) begin
      read_slot_q[j] <= read_slot_q[j-1];
      read_row_q[j]  <= read_row_q[j-1];
    end
  end

  // A frame waits for one with its sequence number; a frame is read to its end.
  wire [1:0] covers = {offered_i && hazard, issue && payload && index_q == 3'd5};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(NoRowReadBeforeItIsWritten, !(issue && payload && |stale))
endmodule

`default_nettype wire
