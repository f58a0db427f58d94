// Puts an outgoing beat together: one of the original as it is, or of a packed frame its headers, shim, edges and stream.
// Combinational, but for what a stream's beat leaves for the next one.
// INCEPTIONN (MICRO'18) section VI-A, Figure 8; the packed frame's layout is ours (docs/devices/nic_tx.md).
`default_nettype none

module gw_nic_tx_merge (
  input  wire logic         clk_i,
  input  wire logic         valid_i,         // a beat is put together in this cycle
  input  wire logic [255:0] original_i,
  input  wire logic [255:0] stream_i,
  input  wire logic         has_stream_i,
  input  wire logic [5:0]   count_i,         // bytes of the beat
  input  wire logic         last_i,
  input  wire logic         packed_i,        // the rest counts if this is 1
  input  wire logic [2:0]   beat_i,          // of the packed frame, 7: one of those without headers
  input  wire logic [7:0]   payload_at_i,
  input  wire logic         tag_i,
  input  wire logic [6:0]   checksum_at_i,   // an even place
  input  wire logic [4:0]   stream_at_i,
  input  wire logic [13:0]  total_i,
  input  wire logic [7:0]   protocol_i,
  input  wire logic [15:0]  ip_checksum_i,
  input  wire logic [15:0]  checksum_i,
  input  wire logic         bounded_i,
  input  wire logic [3:0]   bound_i,
  input  wire logic [1:0]   head_i,
  input  wire logic [13:0]  length_i,
  input  wire logic [47:0]  edges_i,
  output logic [255:0]      data_o,
  output logic [31:0]       keep_o
);
  logic [255:0] carry_q;  // the stream's beat before, turned

  // One branch around all of it: a simulator then works it out for packed frames, and the headers for their first beats.
  localparam logic [255:0] IpNew = {160'd0, 16'hFFFF, 8'hFF, 40'd0, 16'hFFFF, 16'd0};
  logic [255:0] front, stream_turned, stream;
  always_comb begin : put_together
    logic [255:0] ip, ip_new, sum_new, headers, from_payload, shim, from_stream;
    logic         at_payload, before_payload, after_payload;
    front         = '0;
    stream_turned = '0;
    stream        = '0;
    ip            = '0;
    ip_new        = '0;
    sum_new       = '0;
    headers       = '0;
    from_payload  = '0;
    shim          = '0;
    from_stream   = '0;
    at_payload     = beat_i == payload_at_i[7:5];
    before_payload = beat_i < payload_at_i[7:5];
    after_payload  = beat_i == payload_at_i[7:5] + 3'd1;
    if (packed_i) begin
      if (at_payload || before_payload || after_payload) begin
        // Headers: those of the original, but for four fields. IPv4's lie in the first beat, behind a tag or not; the transport's
        // checksum in the second or third.
        ip      = {160'd0, gw_nic_tx_pkg::swap16(ip_checksum_i), protocol_i, 40'd0, gw_nic_tx_pkg::swap16({2'd0, total_i}), 16'd0};
        ip      = tag_i ? ip << 8*18 : ip << 8*14;
        ip_new  = (tag_i ? IpNew << 8*18 : IpNew << 8*14) & {256{beat_i == 3'd0}};
        sum_new = ({240'd0, 16'hFFFF} << {checksum_at_i[4:1], 4'd0}) & {256{beat_i == {1'b0, checksum_at_i[6:5]}}};
        headers = (original_i & ~ip_new & ~sum_new) | (ip & ip_new) | ({16{gw_nic_tx_pkg::swap16(checksum_i)}} & sum_new);
        // Shim and edges: ten bytes that begin where the payload began, and may end in the next beat.
        shim = gw_nic_tx_pkg::turned({176'd0, edges_i, length_i[7:0], 2'd0, length_i[13:8], bounded_i, 1'b0, bound_i, head_i,
                                      gw_nic_tx_pkg::ShimVersion}, payload_at_i[4:0]);
        from_payload = gw_nic_tx_pkg::from_byte({1'b0, payload_at_i[4:0]});
        front = (headers & ({256{before_payload}} | (~from_payload & {256{at_payload}})))
              | (shim & ((from_payload & {256{at_payload}}) | (~from_payload & {256{after_payload}})));
      end
      // Stream: turned to where it begins; the part that leaves a beat at its top comes into the next one at its bottom.
      if (has_stream_i) stream_turned = gw_nic_tx_pkg::turned(stream_i, stream_at_i);
      from_stream = gw_nic_tx_pkg::from_byte({1'b0, stream_at_i});
      stream = (stream_turned & from_stream) | (carry_q & ~from_stream);
    end
  end
  always_ff @(posedge clk_i) if (valid_i) carry_q <= stream_turned & {256{~last_i}};

  wire unused_place = checksum_at_i[0];
  wire [255:0] beyond = gw_nic_tx_pkg::from_byte(count_i);
  assign data_o = ((original_i & {256{~packed_i}}) | front | stream) & ~beyond;
  assign keep_o = ~(32'hFFFF_FFFF << count_i);
endmodule

`default_nettype wire
