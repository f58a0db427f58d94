// One lane's element: all ways to round the value while the block's scale is found, then the choice among them.
// Latency 1 cycle, the choice combinational behind it; one value a cycle.
// docs/devices/mx.md, block.
`default_nettype none

module gw_mx_lane (
  input  wire logic        clk_i,
  input  wire logic        fp4_i,
  input  wire logic [31:0] value_i,
  input  wire logic [8:0]  offset_i,     // one cycle later
  output logic [7:0]       element_o,    // of E2M1 in the lower half
  output logic             saturated_o,  // what the residual needs of it
  output logic             up_o,
  output logic [2:0]       places_o,
  output logic             subnormal_o,
  output logic [3:0]       zeros_o
);
  wire [18:0] narrow = gw_mx_pkg::narrow(value_i[30:0]);
  wire [17:0] ways   = gw_mx_pkg::roundings(narrow[4:1], narrow[0], fp4_i);
  logic        sign_q, fp4_q;
  logic [8:0]  exponent_q;
  logic [17:0] ways_q;
  always_ff @(posedge clk_i) begin
    sign_q      <= value_i[31];
    fp4_q       <= fp4_i;
    subnormal_o <= narrow[18];
    zeros_o     <= narrow[17:14];
    exponent_q  <= narrow[13:5];
    ways_q      <= ways;
  end

  wire [11:0] element = gw_mx_pkg::element(ways_q, exponent_q, offset_i, fp4_q);
  assign element_o   = {sign_q, element[6:0]} & {~{4{fp4_q}}, 4'hF} | {4'd0, fp4_q & sign_q, 3'd0};
  assign saturated_o = element[11];
  assign up_o        = element[10];
  assign places_o    = element[9:7];
endmodule

`default_nettype wire
