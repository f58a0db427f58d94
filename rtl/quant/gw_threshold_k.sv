// What Rice codes remember of each first row: k for the next chunk there, from how many values this one sent.
// Latency 1 cycle to read; written 15 cycles after the start of the chunk's last payload item.
// docs/formats/quantised-packets.md, Rice; docs/devices/threshold.md, k.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_threshold_k #(
  parameter int Rows = 8192,
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               zeroing_i,
  input  wire logic [RowBits-1:0] zero_row_i,
  input  wire logic [RowBits-1:0] row_i,        // in the cycle of a start
  output logic [3:0]              k_o,          // one later
  // 8 cycles after the start.
  input  wire logic               valid_i,      // a payload item of a chunk that is not RAW
  input  wire logic               first_i,
  input  wire logic               leaves_i,     // the chunk's last one, and its first row exists
  input  wire logic [7:0]         sent_i,
  input  wire logic [19:0]        n_i,
  input  wire logic [RowBits-1:0] write_row_i   // 15 cycles after it
);
  logic [14:9] leaves_q;
  logic        valid9_q, first9_q;
  logic [3:0]  count9_q;
  logic [19:0] n9_q, n10_q, c_q;
  logic [21:0] thrice11_q, twice11_q;
  logic [23:0] thrice12_q, twice12_q;
  logic [26:0] thrice13_q, twice13_q;
  logic [3:0]  k14_q, k15_q;
  logic        write_q;
  always_ff @(posedge clk_i) begin
    leaves_q <= {leaves_q[13:9], valid_i & leaves_i} & {6{rst_ni}};
    write_q  <= leaves_q[14] & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    valid9_q <= valid_i;
    first9_q <= first_i;
    count9_q <= gw_threshold_pkg::count(sent_i);
    n9_q     <= n_i;
    if (valid9_q) c_q <= (c_q & {20{~first9_q}}) + {16'd0, count9_q};
    n10_q      <= n9_q;
    thrice11_q <= {2'd0, c_q} + {1'b0, c_q, 1'b0};
    twice11_q  <= {1'b0, n10_q, 1'b0};
    thrice12_q <= gw_threshold_pkg::front_far(thrice11_q);
    twice12_q  <= gw_threshold_pkg::front_far(twice11_q);
    thrice13_q <= gw_threshold_pkg::front_near(thrice12_q);
    twice13_q  <= gw_threshold_pkg::front_near(twice12_q);
    k14_q      <= gw_threshold_pkg::rice_k(thrice13_q, twice13_q);
    k15_q      <= k14_q;
  end

  (* ram_style = "block" *) logic [3:0] k_memory [0:Rows-1];
  wire               write     = zeroing_i | write_q;
  wire [RowBits-1:0] write_row = zeroing_i ? zero_row_i : write_row_i;
  wire [3:0]         k         = zeroing_i ? 4'd6 : k15_q;
  always_ff @(posedge clk_i) begin
    if (write) k_memory[write_row] <= k;
    k_o <= k_memory[row_i];
  end
endmodule

`default_nettype wire
