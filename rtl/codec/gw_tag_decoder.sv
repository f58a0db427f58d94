// Tag Decoder: turns the 16 tag bits of a group into eight tags and payload sizes.
// Combinational.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_tag_decoder (
  input  wire logic [15:0] tags_i,
  output logic [23:0]      size_o  // three bits a lane: 0, 1, 2 or 4 bytes
);
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire [1:0] tag = tags_i[2*i +: 2];
    assign size_o[3*i +: 3] = {1'b0, tag} ^ {3{&tag}};  // the tag itself, but 4 for 3
  end
endmodule

`default_nettype wire
