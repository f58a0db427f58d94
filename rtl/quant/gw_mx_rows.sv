// Residual memory and the adders behind it: an item's g becomes g + r.
// Latency 5 cycles from the start, of which the memory takes the first; one read and one write a cycle.
// docs/devices/mx.md, v, start, reset.
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
  input  wire logic [35:0]        item_i,
  input  wire logic [7:0]         here_i,
  input  wire logic [255:0]       data_i,
  input  wire logic [RowBits-1:0] row_i,
  output logic                    valid_o,        // five cycles later
  output logic [35:0]             item_o,
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

  // Behind the start: the values and what is known of them, until the sum is there.
  localparam int Delay = 5;
  logic [Delay:1] valid_q;
  logic [35:0]    item_q [1:Delay];
  logic [7:0]     here_q [1:Delay];
  logic [255:0]   data_q;
  always_ff @(posedge clk_i) valid_q <= {valid_q[Delay-1:1], start_i} & {Delay{rst_ni}};
  always_ff @(posedge clk_i) begin
    item_q[1] <= item_i;
    here_q[1] <= here_i;
    data_q    <= data_i;
    for (int i = 2; i <= Delay; i++) begin
      item_q[i] <= item_q[i-1];
      here_q[i] <= here_q[i-1];
    end
  end
  assign valid_o = valid_q[Delay];
  assign item_o  = item_q[Delay];
  assign here_o  = here_q[Delay];

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
    wire        here     = here_q[1][i];
    wire        finite   = gw_mx_pkg::finite(g[30:23]);
    wire        raw      = item_q[1][35];
    wire        residual = item_q[1][0] & here;
    logic [Delay:2] bad_q, summed_q;
    logic [31:0]    other_q [2:Delay];
    always_ff @(posedge clk_i) begin
      bad_q      <= {bad_q[Delay-1:2], here & ~finite};
      summed_q   <= {summed_q[Delay-1:2], residual & finite};
      other_q[2] <= ((residual ? residual_q : g) & {32{here & (finite | residual | raw)}});
      for (int j = 3; j <= Delay; j++) other_q[j] <= other_q[j-1];
    end
    gw_mx_adder u_adder (
      .clk_i, .a_i(g), .b_i(residual_q), .sum_o(sum_o[32*i +: 32]), .finite_o(finite_o[i])
    );
    assign bad_o[i]            = bad_q[Delay];
    assign summed_o[i]         = summed_q[Delay];
    assign other_o[32*i +: 32] = other_q[Delay];
  end
endmodule

`default_nettype wire
