// Rotates a beat by whole bytes towards lower ones: byte i of the result is byte i + bytes_i, modulo 32, of
// the beat.
// Combinational: two steps of words, one of bytes.
// INCEPTIONN (MICRO'18) section VI-A: what the alignment in front of and after the engines is made of.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_byte_rotate (
  input  wire logic [255:0] data_i,
  input  wire logic [4:0]   bytes_i,
  output logic [255:0]      data_o
);
  wire [63:0] word [0:3];
  for (genvar i = 0; i < 4; i++) begin : gen_word
    assign word[i] = gw_codec_pkg::one_of(data_i[64*i +: 64], data_i[64*((i + 1) % 4) +: 64],
                                          data_i[64*((i + 2) % 4) +: 64],
                                          data_i[64*((i + 3) % 4) +: 64], bytes_i[4:3]);
    assign data_o[64*i +: 64] =
        gw_codec_pkg::stay_down(word[i], bytes_i[2:0])
          | gw_codec_pkg::spill_down(word[(i + 1) % 4], bytes_i[2:0]);
  end
endmodule

`default_nettype wire
