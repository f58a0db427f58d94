// Signs of a chunk's values, and of each side the sum of its values as integers and their number.
// Latency 1 cycle to an item's signs, 6 to its chunk's sums; one item a cycle.
// docs/devices/onebit.md, sides, vector.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_onebit_sums (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,    // a payload item that is not RAW
  input  wire logic         first_i,    // its chunk's first
  input  wire logic         last_i,     // its chunk's last
  input  wire logic         spoilt_i,   // something of it was not finite
  input  wire logic [3:0]   count_i,    // its values: those lanes below n
  input  wire logic [255:0] value_i,
  output logic [7:0]        signs_o,    // one cycle later: lanes below n that are not negative
  output logic              done_o,     // six cycles later, with the chunk's last item
  output logic              spoilt_o,
  // of the side that is not negative in the lower half, of the negative one
  output logic [103:0]      sums_o,
  output logic [25:0]       numbers_o
);
  // Stages are numbered by the cycles since the item came.
  logic [6:1] valid_q, last_q;
  logic [5:1] first_q, spoilt_q;
  always_ff @(posedge clk_i) valid_q <= {valid_q[5:1], valid_i} & {6{rst_ni}};
  always_ff @(posedge clk_i) begin
    first_q  <= {first_q[4:1], first_i};
    last_q   <= {last_q[5:1], last_i};
    spoilt_q <= {spoilt_q[4:1], spoilt_i};
  end

  wire [7:0]   below = 8'hFF >> (4'd8 - count_i);
  wire [7:0]   negative;
  logic [7:0]  negative_q [1:2];
  logic [7:0]  positive_q [1:2];
  logic [42:0] coarse_q [0:7];
  logic [39:0] whole_q [0:7];
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    assign negative[i] = value_i[32*i + 31] & (value_i[32*i +: 31] != 31'd0);
    always_ff @(posedge clk_i) begin
      if (valid_i)    coarse_q[i] <= gw_onebit_pkg::coarse(value_i[32*i +: 31]);
      if (valid_q[1]) whole_q[i]  <= gw_onebit_pkg::fine(coarse_q[i]);
    end
  end
  always_ff @(posedge clk_i) begin
    negative_q[1] <= negative & below;
    positive_q[1] <= ~negative & below;
    negative_q[2] <= negative_q[1];
    positive_q[2] <= positive_q[1];
  end
  assign signs_o = positive_q[1];

  // The tree; no side has more than 8 values of an item.
  for (genvar s = 0; s < 2; s++) begin : gen_side
    wire [7:0]   mine = s == 0 ? positive_q[2] : negative_q[2];
    logic [40:0] pair_q [0:3];
    logic [41:0] four_q [0:1];
    logic [42:0] eight_q;
    logic [3:0]  ones_q [3:5];
    logic [51:0] sum_q;
    logic [12:0] number_q;
    assign sums_o[52*s +: 52]    = sum_q;
    assign numbers_o[13*s +: 13] = number_q;
    for (genvar i = 0; i < 4; i++) begin : gen_pair
      always_ff @(posedge clk_i) begin
        if (valid_q[2])
          pair_q[i] <= {1'b0, whole_q[2*i] & {40{mine[2*i]}}} + {1'b0, whole_q[2*i+1] & {40{mine[2*i+1]}}};
      end
    end
    always_ff @(posedge clk_i) begin
      if (valid_q[3]) four_q[0] <= {1'b0, pair_q[0]} + {1'b0, pair_q[1]};
      if (valid_q[3]) four_q[1] <= {1'b0, pair_q[2]} + {1'b0, pair_q[3]};
      if (valid_q[4]) eight_q   <= {1'b0, four_q[0]} + {1'b0, four_q[1]};
      ones_q[3] <= gw_onebit_pkg::ones(mine);
      ones_q[4] <= ones_q[3];
      ones_q[5] <= ones_q[4];
      if (valid_q[5]) begin
        sum_q    <= (sum_q & {52{~first_q[5]}}) + {9'd0, eight_q};
        number_q <= (number_q & {13{~first_q[5]}}) + {9'd0, ones_q[5]};
      end
    end
  end
  always_ff @(posedge clk_i) if (valid_q[5]) spoilt_o <= (spoilt_o & ~first_q[5]) | spoilt_q[5];
  assign done_o = valid_q[6] & last_q[6];

  `GW_ASSERT(AtMostEight, !valid_i || count_i <= 4'd8)
  `GW_COVER(AllOnOneSide, done_o && numbers_o[25:13] == 13'd0)
  `GW_COVER(AllOnTheOther, done_o && numbers_o[12:0] == 13'd0)
  `GW_COVER(LargestChunk, done_o && numbers_o[12:0] + numbers_o[25:13] == 13'd4096)
endmodule

`default_nettype wire
