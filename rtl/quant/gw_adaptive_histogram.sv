// Two histograms of a sign, of 1,024 bins each, of which the 128 below the largest value are kept: one is
// counted into, eight values a cycle, while the other is read, two bins of each sign a cycle. A value counts
// for a scan that begins a cycle after it; 4 cycles from a step of the scan to its four counts. What is read
// is cleared.
// Dryden et al. (MLHPC'16) section 3.3; docs/devices/adaptive.md, bins, window, scan.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Each lane counts by itself, even and odd bins in memories of their own: a word has the counts of a bin's
// two signs, and the bin's upper three bits. Bins that are 128 or a multiple of it apart share a word, and
// the larger one is right: of a value whose bin is above that of the word counting begins anew, one below is
// not counted, for it is out of the window. So a read and a write a cycle are enough, of a word at one place,
// and nothing has to be cleared for a window that moves up. Words whose upper bits are not those that are
// scanned count nothing.
// The lanes' counts are added where they are read. After reset all is cleared, which takes 64 cycles.
module gw_adaptive_histogram (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        valid_i,
  input  wire logic        bank_i,       // the histogram that counts
  input  wire logic [7:0]  some_i,       // lanes that have a bin
  input  wire logic [7:0]  negative_i,
  input  wire logic [79:0] bin_i,
  input  wire logic        scan_i,
  input  wire logic        scan_bank_i,
  input  wire logic [8:0]  scan_even_i,  // which even bin, of 512
  input  wire logic [8:0]  scan_odd_i,   // and which odd one
  // 4 cycles later: {negative odd bin, even bin; other odd bin, even bin}
  output logic [51:0]      counts_o
);
  logic       clear_q;
  logic [5:0] clear_step_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clear_q      <= 1'b1;
      clear_step_q <= '0;
    end else begin
      clear_q      <= clear_q & ~(&clear_step_q);
      clear_step_q <= clear_step_q + 6'd1;
    end
  end
  wire reads0 = clear_q | (scan_i & ~scan_bank_i);
  wire reads1 = clear_q | (scan_i & scan_bank_i);

  // Places are chosen a cycle before they are looked at.
  logic scan1_q, scan2_q, scan3_q, reads0_q, reads1_q, bank_q, scan_bank_q;
  always_ff @(posedge clk_i) begin
    scan1_q <= scan_i & rst_ni;
    scan2_q <= scan1_q & rst_ni;
    scan3_q <= scan2_q & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    reads0_q    <= reads0;
    reads1_q    <= reads1;
    bank_q      <= bank_i;
    scan_bank_q <= scan_bank_i;
  end

  for (genvar p = 0; p < 2; p++) begin : gen_parity
    wire  [8:0] scan_word  = p == 0 ? scan_even_i : scan_odd_i;
    wire  [5:0] read_place = clear_q ? clear_step_q : scan_word[5:0];
    logic [2:0] upper_q;
    always_ff @(posedge clk_i) upper_q <= scan_word[8:6];

    wire [159:0] read;  // counts by lane: negative ones [19:10], others
    for (genvar i = 0; i < 8; i++) begin : gen_lane
      (* ram_style = "distributed" *) logic [22:0] memory0 [0:63];  // upper bits, negative, others
      (* ram_style = "distributed" *) logic [22:0] memory1 [0:63];
      wire  [9:0] bin    = bin_i[10*i +: 10];
      wire        counts = valid_i & some_i[i] & bin[0] == p[0];
      logic       write0_q, write1_q, negative_q;
      logic [5:0] place0_q, place1_q;
      logic [2:0] bin_upper_q;
      always_ff @(posedge clk_i) begin
        write0_q    <= reads0 | (counts & ~bank_i);
        write1_q    <= reads1 | (counts & bank_i);
        place0_q    <= reads0 ? read_place : bin[6:1];
        place1_q    <= reads1 ? read_place : bin[6:1];
        bin_upper_q <= bin[9:7];
        negative_q  <= negative_i[i];
      end
      wire [22:0] word0 = memory0[place0_q];
      wire [22:0] word1 = memory1[place1_q];
      wire [22:0] old   = bank_q ? word1 : word0;
      wire        above = bin_upper_q > old[22:20];
      wire        adds  = bin_upper_q >= old[22:20];
      // No count exceeds 512, so that none carries into the next one.
      wire [19:0] next  = (old[19:0] & {20{~above}}) + {9'd0, adds & negative_q, 9'd0, adds & ~negative_q};
      wire [22:0] word  = {above ? bin_upper_q : old[22:20], next};
      always_ff @(posedge clk_i) begin
        if (write0_q) memory0[place0_q] <= word & {23{~reads0_q}};
        if (write1_q) memory1[place1_q] <= word & {23{~reads1_q}};
      end
      wire  [22:0] scanned = scan_bank_q ? word1 : word0;
      logic [19:0] read_q;
      always_ff @(posedge clk_i) if (scan1_q) read_q <= scanned[19:0] & {20{scanned[22:20] == upper_q}};
      assign read[20*i +: 20] = read_q;
    end

    for (genvar s = 0; s < 2; s++) begin : gen_sum
      logic [11:0] lower_q, upper_sum_q;
      logic [12:0] sum_q;
      always_ff @(posedge clk_i) begin
        if (scan2_q) begin
          lower_q     <= ({2'd0, read[10*s +: 10]} + {2'd0, read[20 + 10*s +: 10]}) +
                         ({2'd0, read[40 + 10*s +: 10]} + {2'd0, read[60 + 10*s +: 10]});
          upper_sum_q <= ({2'd0, read[80 + 10*s +: 10]} + {2'd0, read[100 + 10*s +: 10]}) +
                         ({2'd0, read[120 + 10*s +: 10]} + {2'd0, read[140 + 10*s +: 10]});
        end
        if (scan3_q) sum_q <= {1'b0, lower_q} + {1'b0, upper_sum_q};
      end
      assign counts_o[26*s + 13*p +: 13] = sum_q;
    end
  end

  `GW_ASSERT(NoneCountsInWhatIsRead, !(valid_i && (bank_i ? reads1 : reads0)))
  `GW_ASSERT(NoneIsReadWhileItIsCleared, !(scan_i && clear_q))
  `GW_COVER(CountsBesideAScan, valid_i && scan_i)
  `GW_COVER(BeginsAnew, gen_parity[0].gen_lane[0].write0_q && gen_parity[0].gen_lane[0].above && !reads0_q
            && bank_q == 1'b0)
  `GW_COVER(FarBelow, gen_parity[0].gen_lane[0].write0_q && !gen_parity[0].gen_lane[0].adds && !reads0_q
            && bank_q == 1'b0)
endmodule

`default_nettype wire
