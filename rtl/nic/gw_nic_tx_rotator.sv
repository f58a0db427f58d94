// Turns a beat in a ring: byte i comes out as byte i + bytes_i, those that leave at the top come in again at the bottom.
// Combinational.
// INCEPTIONN (MICRO'18) section VI-A: the packet's payload meets the burst's lanes; the paper is silent about how.
`default_nettype none

module gw_nic_tx_rotator (
  input  wire logic [255:0] data_i,
  input  wire logic [4:0]   bytes_i,
  output logic [255:0]      data_o
);
  wire [63:0] moved [0:3];  // by bytes, not yet by words
  for (genvar j = 0; j < 4; j++) begin : gen_word
    assign moved[j] = gw_codec_pkg::stay_up(data_i[64*j +: 64], bytes_i[2:0])
                    | gw_codec_pkg::spill_up(data_i[64*((j + 3) % 4) +: 64], bytes_i[2:0]);
    assign data_o[64*j +: 64] =
        gw_codec_pkg::one_of(moved[j], moved[(j + 3) % 4], moved[(j + 2) % 4], moved[(j + 1) % 4], bytes_i[4:3]);
  end
endmodule

`default_nettype wire
