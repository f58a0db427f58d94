// What gw_expether_pkg::amend promises: the checksum that RFC 1071 gives for a header of which one word has changed, from the one
// before, whatever that was, as long as it was right.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_checksum_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [19:0] others_i,    // free: sum of the header's other words, at most 14
  input wire logic [15:0] word_i,      // free: the word that changes
  input wire logic [15:0] checksum_i,  // free: what the frame came with
  input wire logic [1:0]  change_i     // free: none, a gradient becomes a parameter, the flag `complete` is set, or cleared
);
  localparam logic [15:0] Flag = 16'h0200;
  // Of a sum of at most 16 words: carries added back in.
  function automatic [15:0] fold(input [19:0] sum);
    logic [16:0] once;
    once = {1'b0, sum[15:0]} + {13'd0, sum[19:16]};
    fold = once[15:0] + {15'd0, once[16]};
  endfunction

  wire [15:0] word     = change_i == 2'd0 ? word_i : change_i == 2'd1 ? word_i + 16'd1
                       : change_i == 2'd2 ? word_i | Flag : word_i & ~Flag;
  wire [15:0] grew     = change_i == 2'd0 ? 16'hFFFF : change_i == 2'd1 ? 16'd1 : change_i == 2'd2 ? Flag : ~Flag;
  wire        possible = others_i <= 20'd14 * 20'h0FFFF && others_i != 20'd0 && word_i != 16'hFFFF
                         && (change_i != 2'd2 || !word_i[9]) && (change_i != 2'd3 || word_i[9]);
  wire        right    = fold(others_i + {4'd0, word_i} + {4'd0, checksum_i}) == 16'hFFFF;
  wire [15:0] amended  = gw_expether_pkg::amend(checksum_i, grew);
  wire [15:0] anew     = ~fold(others_i + {4'd0, word});

  // A checksum that is right but not what RFC 1071 gives; a carry that comes back in.
  wire [1:0] covers = {possible && right && checksum_i == 16'hFFFF, possible && right && change_i == 2'd2 && amended > checksum_i};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(AmendedIsAnew, !(possible && right) || amended == anew)
endmodule

`default_nettype wire
