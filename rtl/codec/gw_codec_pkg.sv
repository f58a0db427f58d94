// What the codec's barrel shifters are built from: shifts of 64-bit words by whole bytes, and a choice among
// words.
// Functions, no latency.
// INCEPTIONN (MICRO'18) section VI-A.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_codec_pkg;
  // A stream is moved towards higher bytes by `bytes`: what stays in this word, and what spills over into the
  // next.
  function automatic [63:0] stay_up(input [63:0] word, input [2:0] bytes);
    stay_up = word << {bytes, 3'b000};
  endfunction
  function automatic [63:0] spill_up(input [63:0] word, input [2:0] bytes);
    spill_up = (word >> 1) >> ~{bytes, 3'b000};
  endfunction

  // The same towards lower bytes.
  function automatic [63:0] stay_down(input [63:0] word, input [2:0] bytes);
    stay_down = word >> {bytes, 3'b000};
  endfunction
  function automatic [63:0] spill_down(input [63:0] word, input [2:0] bytes);
    spill_down = (word << 1) << ~{bytes, 3'b000};
  endfunction

  // All that decoding needs of bound 2^-k and mode: `bounded` starts BYTE's bits below 2^-floor(k/2), the
  // paper below 1.0.
  function automatic [2:0] ceiling(input [3:0] bound, input bounded);
    ceiling = 3'(bound >> 1) & {3{bounded}};
  endfunction

  // The word that `index` names. Masks, because a simulator would take `?:` for a branch.
  function automatic [63:0] one_of(input [63:0] word0, input [63:0] word1, input [63:0] word2,
                                   input [63:0] word3,
                                   input [1:0] index);
    logic [63:0] low, high;
    low    = (word0 & ~{64{index[0]}}) | (word1 & {64{index[0]}});
    high   = (word2 & ~{64{index[0]}}) | (word3 & {64{index[0]}});
    one_of = (low & ~{64{index[1]}}) | (high & {64{index[1]}});
  endfunction
endpackage

`default_nettype wire
