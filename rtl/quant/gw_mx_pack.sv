// A popped item becomes a vector of bytes: scale, elements or floats, status. And what is left of its values, for the residual memory.
// Latency 2 cycles to the vector, 6 to the residuals; one item a cycle.
// docs/devices/mx.md, vector, block, residual.
`include "gw_assert.svh"
`default_nettype none

module gw_mx_pack #(
  parameter int Rows = 8192
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         pop_i,
  input  wire logic [35:0]  item_i,
  input  wire logic [7:0]   here_i,
  input  wire logic         spoilt_i,
  input  wire logic [255:0] value_i,
  input  wire logic [8:0]   offset_i,   // one cycle later
  input  wire logic         poison_i,
  output logic              valid_o,    // two cycles later
  output logic [271:0]      vector_o,
  output logic [5:0]        length_o,
  output logic              first_o,
  output logic              last_o,
  output logic [1:0]        user_o,     // RAW, status bit 2
  output logic [127:0]      header_o,
  output logic [7:0]        write_o,    // six cycles later: lanes whose residuals are written
  output logic [255:0]      residual_o
);
  // Pop + 1: the item, and where its status goes. Item's fields: gw_mx_issue.
  logic         pop_q;
  logic [35:0]  item_q;
  logic [7:0]   here_q;
  logic         spoilt_q;
  logic [255:0] value_q;
  logic [33:0]  place_q;
  for (genvar i = 0; i < 34; i++) begin : gen_place
    always_ff @(posedge clk_i) place_q[i] <= item_i[29] & item_i[26:21] == 6'(i + 1);
  end
  always_ff @(posedge clk_i) pop_q <= pop_i & rst_ni;
  always_ff @(posedge clk_i) begin
    item_q   <= item_i;
    here_q   <= here_i & {8{item_i[0]}};
    spoilt_q <= spoilt_i;
    value_q  <= value_i;
  end
  wire raw   = item_q[35];
  wire fp4   = item_q[34];
  wire opens = item_q[32];

  wire [63:0] eights;
  wire [31:0] fours;
  wire [7:0]  saturated, up, subnormal;
  wire [23:0] places;
  wire [31:0] zeros;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    gw_mx_lane u_lane (
      .clk_i, .fp4_i(item_i[34]), .value_i(value_i[32*i +: 32]), .offset_i, .element_o(eights[8*i +: 8]),
      .saturated_o(saturated[i]), .up_o(up[i]), .places_o(places[3*i +: 3]), .subnormal_o(subnormal[i]), .zeros_o(zeros[4*i +: 4])
    );
    assign fours[4*i +: 4] = eights[8*i +: 4];
  end

  wire [63:0]  elements = (fp4 ? {32'd0, fours} : eights) & {64{~poison_i}};
  wire [7:0]   scale    = gw_mx_pkg::scale(offset_i[7:0], fp4) | {8{poison_i}};
  wire [71:0]  block    = opens ? {elements, scale} : {8'd0, elements};
  wire [255:0] values   = raw ? value_q : {184'd0, block};
  wire [271:0] status;
  for (genvar i = 0; i < 34; i++) begin : gen_status
    assign status[8*i +: 8] = {5'd0, {item_q[28:27], spoilt_q} & {3{place_q[i]}}};
  end
  always_ff @(posedge clk_i) valid_o <= pop_q & rst_ni;
  always_ff @(posedge clk_i) begin
    vector_o <= {16'd0, values} | status;
    length_o <= item_q[26:21];
    first_o  <= item_q[33];
    last_o   <= item_q[29];
    user_o   <= {raw, item_q[28]};
    header_o <= {64'd0, 12'd0, item_q[20:1], 24'd0, 5'd0, {2'd3, fp4} & {3{~raw}}};
  end

  if (Rows != 0) begin : gen_remainders
    logic [255:0] before_q;
    logic         fp4_q;
    logic [7:0]   saturated_q, up_q, subnormal_q;
    logic [23:0]  places_q;
    logic [31:0]  zeros_q;
    logic [7:0]   write_q [2:5];
    always_ff @(posedge clk_i) begin
      before_q    <= value_q;
      fp4_q       <= fp4;
      saturated_q <= saturated;
      up_q        <= up;
      subnormal_q <= subnormal;
      places_q    <= places;
      zeros_q     <= zeros;
    end
    always_ff @(posedge clk_i) begin
      write_q[2] <= here_q & {8{pop_q & rst_ni & ~poison_i}};
      for (int i = 3; i <= 5; i++) write_q[i] <= write_q[i-1] & {8{rst_ni}};
      write_o    <= write_q[5] & {8{rst_ni}};
    end
    for (genvar i = 0; i < 8; i++) begin : gen_lane
      gw_mx_remainder u_remainder (
        .clk_i, .fp4_i(fp4_q), .value_i(before_q[32*i +: 32]), .saturated_i(saturated_q[i]), .up_i(up_q[i]),
        .places_i(places_q[3*i +: 3]), .subnormal_i(subnormal_q[i]), .zeros_i(zeros_q[4*i +: 4]), .remainder_o(residual_o[32*i +: 32])
      );
    end
  end else begin : gen_no_remainders
    assign write_o    = 8'd0;
    assign residual_o = 256'd0;
    wire unused = ^{here_q, saturated, up, subnormal, places, zeros};
  end
  wire unused_item = ^{item_q[32:30], item_q[0]};

  `GW_ASSERT(LastHasItsStatus, !valid_o || !last_o || length_o != 6'd0)
  `GW_COVER(LongestVector, valid_o && length_o == 6'd34)
  `GW_COVER(EmptyVector, valid_o && length_o == 6'd0)
endmodule

`default_nettype wire
