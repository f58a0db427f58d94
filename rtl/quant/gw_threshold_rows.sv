// Residual memory and the adders after it: an item's g becomes v. And what the memory gets back.
// Latency 7 cycles from the start, of which the memory takes two; one read and one write a cycle.
// docs/devices/threshold.md, v, reset.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_threshold_rows #(
  parameter int Rows = 8192,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  output logic                    zeroing_o,      // with the row zeroed at the end of this cycle
  output logic [RowBits-1:0]      zero_row_o,
  output logic                    open_o,         // that is the last one
  input  wire logic [RowBits-1:0] row_i,
  input  wire logic [255:0]       data_i,
  input  wire logic [7:0]         here_i,
  input  wire logic               raw_i,
  input  wire logic               residual_i,
  output logic [255:0]            v_o,            // seven cycles later
  output logic                    spoils_o,       // a g, or a sum, is not finite
  input  wire logic [7:0]         write_i,        // lanes
  input  wire logic [RowBits-1:0] write_row_i,
  input  wire logic [255:0]       write_data_i
);
  // Zeroing, a row a cycle.
  localparam logic [RowBits-1:0] LastRow = RowBits'(Rows - 1);
  assign open_o = zeroing_o & zero_row_o == LastRow;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      zeroing_o  <= 1'b1;
      zero_row_o <= '0;
    end else if (zeroing_o) begin
      zeroing_o  <= ~open_o;
      zero_row_o <= zero_row_o + {{(RowBits - 1){1'b0}}, 1'b1};
    end
  end

  logic [7:0]   here_q [1:2];
  logic [2:1]   raw_q, residual_q;
  logic [255:0] data1_q, data2_q;
  always_ff @(posedge clk_i) begin
    here_q[1]  <= here_i;
    here_q[2]  <= here_q[1];
    raw_q      <= {raw_q[1], raw_i};
    residual_q <= {residual_q[1], residual_i};
    data1_q    <= data_i;
    data2_q    <= data1_q;
  end

  wire [RowBits-1:0] write_row = zeroing_o ? zero_row_o : write_row_i;
  wire [7:0]         bad;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    (* ram_style = "block" *) logic [31:0] row_memory [0:Rows-1];
    logic [31:0] read_q, r_q;
    wire         write = write_i[i] | zeroing_o;
    wire [31:0]  data  = write_data_i[32*i +: 32] & {32{~zeroing_o}};
    always_ff @(posedge clk_i) begin
      if (write) row_memory[write_row] <= data;
      read_q <= row_memory[row_i];
    end
    always_ff @(posedge clk_i) r_q <= read_q;

    // What v is if it is not the sum.
    localparam int Sum = 6;
    wire [31:0] g        = data2_q[32*i +: 32];
    wire        here     = here_q[2][i];
    wire        finite   = gw_mx_pkg::finite(g[30:23]);
    wire        residual = residual_q[2] & here;
    logic [Sum:3] bad_q, summed_q;
    logic [31:0]  other_q [3:Sum];
    wire  [31:0]  sum;
    wire          sum_finite;
    always_ff @(posedge clk_i) begin
      bad_q      <= {bad_q[Sum-1:3], here & ~finite};
      summed_q   <= {summed_q[Sum-1:3], residual & finite};
      other_q[3] <= (residual ? r_q : g) & {32{here & (finite | residual | raw_q[2])}};
      for (int j = 4; j <= Sum; j++) other_q[j] <= other_q[j-1];
    end
    gw_mx_adder u_adder (.clk_i, .enable_i(4'hF), .a_i(g), .b_i(r_q), .sum_o(sum), .finite_o(sum_finite));
    // A sum that is not finite leaves r, which then is wanted: it waits beside g's.
    assign bad[i] = bad_q[Sum] | (summed_q[Sum] & ~sum_finite);
    always_ff @(posedge clk_i) v_o[32*i +: 32] <= summed_q[Sum] & sum_finite ? sum : other_q[Sum];
  end
  always_ff @(posedge clk_i) spoils_o <= bad != 8'd0;
endmodule

`default_nettype wire
