// Source of beats for a device whose netlist is compared with its RTL: packets of binary32 values, of random bytes, or frames
// of which most are well-formed gradients. A beat waits for its ready; lengths, pauses and faults are random.
`default_nettype none

module gw_netlist_source #(
  parameter int Kind = 0,  // 0 values, 1 bytes, 2 frames
  parameter int Port = 0
) (
  input  wire logic    clk_i,
  input  wire logic    rst_ni,
  input  wire logic    ready_i,
  output bit   [255:0] data_o,
  output bit   [31:0]  keep_o,
  output bit           valid_o,
  output bit           last_o,
  output bit           user_o
);
  // Around 1.0, around the codec's classes, and anything.
  function automatic [31:0] value(input [31:0] draw, input [31:0] fraction);
    value = fraction;
    if (draw[1:0] != 2'd0) value[30:23] = draw[2] ? 8'd120 + {5'd0, draw[5:3]} : 8'd110 + {4'd0, draw[6:3]};
    if (draw[10:7] == 4'd0) value[22:0] = '0;
    if (draw[15:11] == 5'd0) value[30:23] = {8{draw[16]}};
  endfunction

  function automatic [15:0] checksum(input [239:0] header);
    bit [19:0] sum;
    sum = '0;
    for (int i = 0; i < 14; i++) sum = sum + {4'd0, header[16*i +: 8], header[16*i + 8 +: 8]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    sum = {4'd0, sum[15:0]} + {16'd0, sum[19:16]};
    checksum = ~{sum[7:0], sum[15:8]};
  endfunction

  bit [511:0] headers;  // a frame's first 64 bytes
  int         index, beats, frames;
  bit [31:0]  draw;

  task automatic begin_packet;
    draw   = $urandom;
    index  = 0;
    frames = frames + 1;
    if (Kind == 2) begin
      beats = draw[3:0] == 4'd0 ? 2 + {28'd0, draw[7:4]} : 6;
      for (int i = 0; i < 16; i++) headers[32*i +: 32] = $urandom;
      headers[8*0 +: 48]  = {40'd0, draw[9:8], 6'd0};      // few stations
      headers[8*6 +: 48]  = {40'd0, 6'(Port), 2'd0};
      headers[8*12 +: 48] = {8'hB5, 8'h88, 8'h05, 8'h00, 8'h00, 8'h81};
      headers[8*18 +: 24] = {8'd0, draw[10] ? 8'd1 : 8'd1 + {7'd0, draw[11]}, 8'd1};
      headers[8*21 +: 8]  = draw[12] ? 8'd32 : 8'd1 + {3'd0, draw[17:13]};
      headers[8*22 +: 32] = {5'd0, draw[20:18], 24'd0};    // few sequence numbers
      headers[8*30 +: 32] = {8'd1, 8'd0, 5'd0, draw[23:21] % 3'd5, 8'd0};  // worker, group
      headers[8*34 +: 32] = {8'(frames / 32), 24'd0};
      headers[8*48 +: 32] = {headers[8*21 +: 8], 16'd0, 8'h60};
      headers[8*46 +: 16] = checksum(headers[8*18 +: 240]);
      if (draw[27:24] == 4'd0) headers[9'($urandom)] = draw[28];
      if (draw[31:29] == 3'd0) headers[8*19 +: 8] = draw[7:0];
    end else begin
      beats = draw[2:0] == 3'd0 ? 1 : draw[3] ? 1 + {28'd0, draw[7:4]} : 1 + {25'd0, draw[10:4]};
    end
  endtask

  // Nonblocking, so that RTL and netlist see the same beat at the edge.
  task automatic next_beat;
    bit [31:0]  pick, keep;
    bit [255:0] data;
    bit         last;
    pick = $urandom;
    for (int i = 0; i < 8; i++) begin
      data[32*i +: 32] = Kind == 1 ? (pick[0] ? $urandom & $urandom : $urandom) : value($urandom, $urandom);
    end
    if (Kind == 2 && index < 2) data = headers[256*index +: 256];
    last = index == beats - 1;
    keep = 32'hFFFF_FFFF;
    if (last && Kind == 0) keep = keep >> {pick[3:1], 2'd0};
    if (last && Kind != 0) keep = keep >> pick[5:1];
    if (last && Kind != 2 && pick[12:8] == 5'd0) keep = $urandom;
    data_o <= data;
    keep_o <= keep;
    last_o <= last;
    user_o <= last && pick[16:13] == 4'd0;
  endtask

  initial begin_packet();
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
    end else if (!valid_o || ready_i) begin
      if (valid_o) begin
        if (last_o) begin_packet();
        else index = index + 1;
      end
      valid_o <= frames % 64 < 32 || $urandom % 4 != 0;
      next_beat();
    end
  end
endmodule

`default_nettype wire
