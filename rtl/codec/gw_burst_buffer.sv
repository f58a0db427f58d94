// Burst Buffer: holds up to four bursts of the encoded stream, finds where each group ends, gives it out aligned.
// Latency 2 cycles (buffer, alignment), one group a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 10 (there with two bursts: docs/devices/decompressor.md says why four).
`default_nettype none

module gw_burst_buffer (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [255:0] data_i,
  input  wire logic [31:0]  keep_i,
  input  wire logic         last_i,
  input  wire logic         user_i,
  input  wire logic         credit_i,  // there is room for a group
  output logic              issue_o,   // a group, or an error in place of one, is taken in this cycle; below: one later
  output logic              valid_o,
  output logic [271:0]      group_o,   // bytes above its length belong to the next group
  output logic              last_o,
  output logic              user_o,    // the packet is in error; with last_o only
  output logic              broken_o   // no group: the packet ends within one
);
  // For each byte of a word: the payload bytes it announces, 0..16, should it be one of the two bytes of a tag word.
  // Known on arrival, this leaves a selection and a sum for the loop from one group's position to the next one's.
  function automatic [63:0] announced(input [63:0] word);
    logic [63:0] hi, raw, half, one, pair0, pair1, pair2, pair3, carry1, carry2;
    hi     = word >> 1;
    raw    = hi & word;     // bit 2i: field i is RAW, 4 bytes
    half   = hi & ~word;    // 2 bytes
    one    = ~hi & word;    // 1 byte
    // Sum of two fields, bit by bit: each is of one class, so that a carry never meets a set bit.
    pair0  = one ^ (one >> 2);
    pair1  = (half ^ (half >> 2)) | (one & (one >> 2));
    pair2  = (raw ^ (raw >> 2)) | (half & (half >> 2));
    pair3  = raw & (raw >> 2);
    // Sum of two pairs.
    carry1 = pair0 & (pair0 >> 4);
    carry2 = (pair1 & (pair1 >> 4)) | (carry1 & (pair1 ^ (pair1 >> 4)));
    announced = ((pair0 ^ (pair0 >> 4)) & {8{8'h01}})
              | (((pair1 ^ (pair1 >> 4) ^ carry1) & {8{8'h01}}) << 1)
              | (((pair2 ^ (pair2 >> 4) ^ carry2) & {8{8'h01}}) << 2)
              | (((pair3 ^ (pair3 >> 4) ^ ((pair2 & (pair2 >> 4)) | (carry2 & (pair2 ^ (pair2 >> 4))))) & {8{8'h01}}) << 3)
              | ((pair3 & (pair3 >> 4) & {8{8'h01}}) << 4);
  endfunction

  // Where the next group starts (slot and byte), how many slots are held.
  logic [6:0] start_q;
  logic [2:0] held_q;
  wire  [1:0] slot = start_q[6:5];
  wire  [1:0] free = slot + held_q[1:0];

  // A burst's valid bytes end at the lowest zero of `keep`, which counts at the packet's end only.
  wire [31:0] kept   = keep_i | {32{~last_i}};
  wire [31:0] lowest = ~kept & (kept + 32'd1);
  wire [5:0]  filled = {lowest == 32'd0, |(lowest & 32'hFFFF_0000), |(lowest & 32'hFF00_FF00),
                        |(lowest & 32'hF0F0_F0F0), |(lowest & 32'hCCCC_CCCC), |(lowest & 32'hAAAA_AAAA)};

  logic [5:0] filled_q [0:3];
  logic       last_q   [0:3];
  logic       user_q   [0:3];
  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      filled_q[free] <= filled;
      last_q[free]   <= last_i;
      user_q[free]   <= user_i;
    end
  end

  // Window: the three oldest slots, up to and with the first that ends a packet.
  wire [1:0] second = slot + 2'd1;
  wire [1:0] third  = slot + 2'd2;
  wire has_one   = held_q != 3'd0;
  wire has_two   = held_q[2] | held_q[1];
  wire has_three = held_q[2] | (held_q[1] & held_q[0]);
  wire end_one   = has_one & last_q[slot];
  wire end_two   = has_two & last_q[second];
  wire end_three = has_three & last_q[third];
  wire ended     = end_one | end_two | end_three;
  wire reach_two   = has_two & ~end_one;
  wire reach_three = has_three & ~end_one & ~end_two;
  wire [1:0] final_slot = reach_three ? third : reach_two ? second : slot;
  wire [6:0] limit = {1'b0, {6{has_one}} & filled_q[final_slot]} + {1'b0, reach_three, reach_two & ~reach_three, 4'd0} * 7'd2;
endmodule
