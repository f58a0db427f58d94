// Residual memory and the adders after it: an item's g becomes v.
// Latency 6 cycles from the start, of which the memory takes two, v combinational after the last; one read
// and one write a cycle.
// docs/devices/onebit.md, missing, v, reset. gw_mx_rows is a cycle quicker, and slower than 5 ns.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_onebit_rows #(
  parameter int Rows = 8192,
  parameter int ItemBits = 1,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  output logic                     zero_o,      // zeroing, a row a cycle
  output logic [RowBits-1:0]       zero_row_o,
  output logic                     open_o,      // the last row is zeroed at the end of this cycle
  input  wire logic                start_i,
  input  wire logic                raw_i,
  input  wire logic                residual_i,
  input  wire logic [ItemBits-1:0] item_i,      // whatever else is wanted six cycles later
  input  wire logic [7:0]          here_i,
  input  wire logic [255:0]        data_i,
  input  wire logic [RowBits-1:0]  row_i,
  output logic                     valid_o,     // six cycles later
  output logic [ItemBits-1:0]      item_o,
  output logic [7:0]               here_o,
  output logic                     bad_o,       // a g is not finite
  output logic                     overflow_o,  // a g + r is not
  output logic [255:0]             value_o,     // v; of RAW what came, else +0
  input  wire logic [7:0]          write_i,     // lanes
  input  wire logic [RowBits-1:0]  write_row_i,
  input  wire logic [255:0]        write_data_i
);
  // Zeroing.
  localparam logic [RowBits-1:0] LastRow = RowBits'(Rows - 1);
  assign open_o = zero_o & zero_row_o == LastRow;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      zero_o     <= 1'b1;
      zero_row_o <= '0;
    end else if (zero_o) begin
      zero_o     <= ~open_o;
      zero_row_o <= zero_row_o + {{(RowBits - 1){1'b0}}, 1'b1};
    end
  end

  localparam int Delay = 6;
  logic [Delay:1]      valid_q;
  logic [Delay:3]      bad_q;
  logic [ItemBits-1:0] item_q [1:Delay];
  logic [7:0]          here_q [1:Delay];
  logic                raw1_q, residual1_q, raw2_q, residual2_q;
  logic [7:0]          finite_q;  // each g of the second stage
  wire  [7:0]          bad = here_q[2] & ~finite_q;
  always_ff @(posedge clk_i) valid_q <= {valid_q[Delay-1:1], start_i} & {Delay{rst_ni}};
  always_ff @(posedge clk_i) begin
    raw1_q      <= raw_i;
    residual1_q <= residual_i;
    raw2_q      <= raw1_q;
    residual2_q <= residual1_q;
    item_q[1]   <= item_i;
    here_q[1]   <= here_i;
    bad_q       <= {bad_q[Delay-1:3], bad != 8'd0};
    for (int i = 2; i <= Delay; i++) begin
      item_q[i] <= item_q[i-1];
      here_q[i] <= here_q[i-1];
    end
  end
  assign valid_o = valid_q[Delay];
  assign item_o  = item_q[Delay];
  assign here_o  = here_q[Delay];
  assign bad_o   = bad_q[Delay];

  wire [RowBits-1:0] write_row = zero_o ? zero_row_o : write_row_i;
  wire [7:0]         overflow;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    (* ram_style = "block" *) logic [31:0] row_memory [0:Rows-1];
    logic [31:0] read_q, residual_q, arrived_q, g_q;
    wire         write = write_i[i] | zero_o;
    wire [31:0]  data  = write_data_i[32*i +: 32] & {32{~zero_o}};
    always_ff @(posedge clk_i) begin
      if (write) row_memory[write_row] <= data;
      read_q <= row_memory[row_i];
    end
    always_ff @(posedge clk_i) begin
      arrived_q   <= data_i[32*i +: 32];
      residual_q  <= read_q;
      g_q         <= arrived_q;
      finite_q[i] <= gw_mx_pkg::finite(arrived_q[30:23]);
    end

    wire [31:0] sum;
    wire        sum_finite;
    gw_onebit_adder u_adder (.clk_i, .a_i(g_q), .b_i(residual_q), .sum_o(sum), .finite_o(sum_finite));

    // What v is if it is not the sum.
    wire            here  = here_q[2][i];
    wire            keeps = residual2_q & here;
    logic [Delay:3] summed_q;
    logic [31:0]    other_q [3:Delay];
    always_ff @(posedge clk_i) begin
      summed_q   <= {summed_q[Delay-1:3], keeps & finite_q[i]};
      other_q[3] <= (keeps ? residual_q : g_q) & {32{here & (finite_q[i] | keeps | raw2_q)}};
      for (int j = 4; j <= Delay; j++) other_q[j] <= other_q[j-1];
    end
    assign overflow[i]         = summed_q[Delay] & ~sum_finite;
    assign value_o[32*i +: 32] = summed_q[Delay] & sum_finite ? sum : other_q[Delay];
  end
  assign overflow_o = overflow != 8'd0;

  `GW_COVER(SumOverflows, valid_o && overflow_o)
  `GW_COVER(GradientIsNotFinite, valid_o && bad_o)
endmodule

`default_nettype wire
