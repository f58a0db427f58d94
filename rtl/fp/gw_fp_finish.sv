// Last steps of multiply, divide and square root: denormalises, rounds to nearest even and selects the result.
// Latency: cuts First (denormalise, if Denormalise), then round, then select (gw_fp_stage); one result a cycle.
// Common cell of rtl/fp; no section of its own in the paper.
`default_nettype none

// Subnormal = 0 rounds as if exponents had no end; what is then below the smallest normal number becomes a signed zero.
module gw_fp_finish #(
  parameter bit Denormalise = 1'b0,  // results may be subnormal and are wanted
  parameter int Latency = 2,
  parameter int Cuts = 2,
  parameter int First = 0
) (
  input  wire logic        clk_i,
  input  wire logic        sign_i,
  input  wire logic [1:0]  kind_i,
  input  wire logic [9:0]  exponent_i,     // signed, biased by 127
  input  wire logic [25:0] significand_i,  // leading one, 23 bits of fraction, next bit, or of all behind it
  output logic [31:0]      result_o
);
  // Denormalise: down to the exponent of the smallest normal number; bits that fall out are kept as one sticky bit.
  wire        sign;
  wire [1:0]  kind;
  wire [9:0]  exponent;
  wire [25:0] significand;
  if (Denormalise) begin : gen_denormalise
    wire        below    = $signed(exponent_i) < 10'sd1;
    wire [9:0]  distance = 10'd1 - exponent_i;
    wire [4:0]  places   = distance[9:5] != 5'd0 ? 5'd31 : distance[4:0];
    wire [25:0] shifted  = significand_i >> places;
    wire        lost     = (significand_i & ~(26'h3FF_FFFF << places)) != 26'd0;
    gw_fp_stage #(.Width(39), .Latency(Latency), .Cuts(Cuts), .Cut(First)) u_denormalise (
      .clk_i,
      .d_i ({sign_i, kind_i, below ? 10'd0 : exponent_i,
             below ? {shifted[25:1], shifted[0] | lost} : significand_i}),
      .q_o ({sign, kind, exponent, significand})
    );
  end else begin : gen_normal
    assign {sign, kind, exponent, significand} = {sign_i, kind_i, exponent_i, significand_i};
  end

  // Round: the carry out of the fraction counts the exponent up, be it to the first normal number or to infinity.
  localparam int Round = First + (Denormalise ? 1 : 0);
  wire        up      = significand[1] & (significand[0] | significand[2]);
  wire [32:0] rounded = {exponent, significand[24:2]} + {32'd0, up};
  wire        unused_hidden = significand[25];
  wire        number_sign;
  wire [1:0]  number_kind;
  wire [32:0] number;
  gw_fp_stage #(.Width(36), .Latency(Latency), .Cuts(Cuts), .Cut(Round)) u_round (
    .clk_i,
    .d_i ({sign, kind, rounded}),
    .q_o ({number_sign, number_kind, number})
  );

  // Select.
  wire over   = $signed(number[32:23]) > 10'sd254;
  wire under  = !Denormalise && $signed(number[32:23]) < 10'sd1;
  wire [1:0] outcome = number_kind != gw_fp_pkg::KindNumber ? number_kind
                     : over  ? gw_fp_pkg::KindInfinity
                     : under ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber;
  gw_fp_stage #(.Width(32), .Latency(Latency), .Cuts(Cuts), .Cut(Round + 1)) u_select (
    .clk_i,
    .d_i (gw_fp_pkg::select(outcome, number_sign, number[30:0])),
    .q_o (result_o)
  );
endmodule

`default_nettype wire
