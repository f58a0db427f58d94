// Tag Decoder: turns the 16 tag bits of a group into the sizes of its eight payloads.
// Combinational.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10.
`default_nettype none

module gw_tag_decoder (
  input  wire logic [15:0] tags_i,
  output logic [23:0]      size_o  // three bits a lane: 0, 1, 2 or 4 bytes
);
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire [1:0] tag = tags_i[2*i +: 2];
    assign size_o[3*i +: 3] = {&tag, tag[1] & ~tag[0], ~tag[1] & tag[0]};
  end
endmodule

`default_nettype wire
