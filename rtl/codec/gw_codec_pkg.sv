// Shifts that the codec's barrel shifters are built from: 64-bit words, whole bytes.
// Functions, no latency.
// INCEPTIONN (MICRO'18) section VI-A.
`default_nettype none

package gw_codec_pkg;
  // A stream is moved towards higher bytes by `bytes`: what stays in this word, and what spills over into the next.
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
endpackage

`default_nettype wire
