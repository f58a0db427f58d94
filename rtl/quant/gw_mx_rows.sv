// Residual memory and the adders after it: an item's g becomes g + r.
// Latency 5 cycles from the start, of which the memory takes the first; one read and one write a cycle.
// docs/devices/mx.md, v, start, reset.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_mx_rows #(
  parameter int Rows = 8192,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  output logic                    open_o,         // the last row is zeroed at the end of this cycle
  input  wire logic               start_i,
  input  wire logic [gw_mx_pkg::ItemBits-1:0] item_i,
  input  wire logic [7:0]         here_i,
  input  wire logic [255:0]       data_i,
  input  wire logic [RowBits-1:0] row_i,
  output logic                    valid_o,        // five cycles later
  output logic [gw_mx_pkg::ItemBits-1:0] item_o,
  output logic [7:0]              here_o,
  output logic [7:0]              bad_o,          // g is not finite
  output logic [7:0]              summed_o,       // v is the sum, if that is finite
  output logic [255:0]            sum_o,
  output logic [7:0]              finite_o,
  output logic [255:0]            other_o,        // and else this
  input  wire logic [7:0]         write_i,        // lanes
  input  wire logic [RowBits-1:0] write_row_i,
  input  wire logic [255:0]       write_data_i
);
  // Zeroing, a row a cycle.
  localparam logic [RowBits-1:0] LastRow = RowBits'(Rows - 1);
  logic               zeroing_q;
  logic [RowBits-1:0] zero_q;
  assign open_o = zeroing_q & zero_q == LastRow;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      zeroing_q <= 1'b1;
      zero_q    <= '0;
    end else if (zeroing_q) begin
      zeroing_q <= ~open_o;
      zero_q    <= zero_q + {{(RowBits - 1){1'b0}}, 1'b1};
    end
  end

  // After the start: the values and what is known of them, until the sum is there.
  logic [5:1]   valid_q;
  logic [4:1]   adds_q;  // an item that keeps a residual
  logic [gw_mx_pkg::ItemBits-1:0] item1_q, item2_q, item3_q, item4_q, item5_q;
  logic [7:0]   here1_q, here2_q, here3_q, here4_q, here5_q;
  logic [7:0]   bad2_q, bad3_q, bad4_q, bad5_q, summed2_q, summed3_q, summed4_q, summed5_q;
  logic [255:0] data_q, other2_q, other3_q, other4_q, other5_q;
  wire  [7:0]   bad, summed;
  wire  [255:0] other;
  always_ff @(posedge clk_i) valid_q <= {valid_q[4:1], start_i} & {5{rst_ni}};
  always_ff @(posedge clk_i) begin
    adds_q    <= {adds_q[3:1], start_i & item_i[gw_mx_pkg::ItemResidual]};
    item1_q   <= item_i;
    item2_q   <= item1_q;
    item3_q   <= item2_q;
    item4_q   <= item3_q;
    item5_q   <= item4_q;
    here1_q   <= here_i;
    here2_q   <= here1_q;
    here3_q   <= here2_q;
    here4_q   <= here3_q;
    here5_q   <= here4_q;
    data_q    <= data_i;
    bad2_q    <= bad;
    bad3_q    <= bad2_q;
    bad4_q    <= bad3_q;
    bad5_q    <= bad4_q;
    summed2_q <= summed;
    summed3_q <= summed2_q;
    summed4_q <= summed3_q;
    summed5_q <= summed4_q;
    other2_q  <= other;
    other3_q  <= other2_q;
    other4_q  <= other3_q;
    other5_q  <= other4_q;
  end
  assign valid_o  = valid_q[5];
  assign item_o   = item5_q;
  assign here_o   = here5_q;
  assign bad_o    = bad5_q;
  assign summed_o = summed5_q;
  assign other_o  = other5_q;
  wire raw = item1_q[gw_mx_pkg::ItemRaw];

  wire [RowBits-1:0] write_row = zeroing_q ? zero_q : write_row_i;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    (* ram_style = "block" *) logic [31:0] row_memory [0:Rows-1];
    logic [31:0] residual_q;
    wire         write = write_i[i] | zeroing_q;
    wire [31:0]  data  = write_data_i[32*i +: 32] & {32{~zeroing_q}};
    always_ff @(posedge clk_i) begin
      if (write) row_memory[write_row] <= data;
      residual_q <= row_memory[row_i];
    end

    wire [31:0] g        = data_q[32*i +: 32];
    wire        here     = here1_q[i];
    wire        finite   = g[30:23] != 8'hFF;
    wire        residual = item1_q[gw_mx_pkg::ItemResidual] & here;
    assign bad[i]            = here & ~finite;
    assign summed[i]         = residual & finite;
    assign other[32*i +: 32] = (residual ? residual_q : g) & {32{here & (finite | residual | raw)}};
    gw_mx_adder u_adder (
      .clk_i, .enable_i(adds_q), .a_i(g), .b_i(residual_q), .sum_o(sum_o[32*i +: 32]), .finite_o(finite_o[i])
    );
  end
endmodule

`default_nettype wire
