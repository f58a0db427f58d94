// Two histograms of 128 bins a sign: one is counted into, eight values a cycle, while the other is read, two bins of each sign a cycle.
// A value counts for a scan that begins a cycle behind it; 4 cycles from a step of the scan to its four counts. What is read is cleared.
// Dryden et al. (MLHPC'16) section 3.3; docs/devices/adaptive.md, bins, scan.
`include "gw_assert.svh"
`default_nettype none

// Each lane counts by itself: a word has the four counts that are read together, so that one read and one write a cycle are enough,
// of a word at one place. The lanes' counts are added where they are read. After reset all is cleared, which takes 64 cycles.
module gw_adaptive_histogram (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        valid_i,
  input  wire logic        bank_i,       // the histogram that counts
  input  wire logic [7:0]  some_i,       // lanes that have a bin
  input  wire logic [7:0]  negative_i,
  input  wire logic [55:0] bin_i,
  input  wire logic        scan_i,
  input  wire logic        scan_bank_i,
  input  wire logic [5:0]  scan_step_i,  // bins 127 and 126 first
  output logic [51:0]      counts_o      // 4 cycles later: {negative odd bin, even bin; other odd bin, even bin}
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
  wire [5:0] read_place = clear_q ? clear_step_q : ~scan_step_i;
  wire       reads0     = clear_q | (scan_i & ~scan_bank_i);
  wire       reads1     = clear_q | (scan_i & scan_bank_i);

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

  logic [39:0] read_q [0:7];
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    (* ram_style = "distributed" *) logic [39:0] memory0 [0:63];
    (* ram_style = "distributed" *) logic [39:0] memory1 [0:63];
    wire        counts = valid_i & some_i[i];
    wire  [1:0] which  = {negative_i[i], bin_i[7*i]};
    logic       write0_q, write1_q;
    logic [5:0] place0_q, place1_q;
    logic [3:0] more_q;
    always_ff @(posedge clk_i) begin
      write0_q <= reads0 | (counts & ~bank_i);
      write1_q <= reads1 | (counts & bank_i);
      place0_q <= reads0 ? read_place : bin_i[7*i + 1 +: 6];
      place1_q <= reads1 ? read_place : bin_i[7*i + 1 +: 6];
      more_q   <= {which == 2'd3, which == 2'd2, which == 2'd1, which == 2'd0};
    end
    wire [39:0] word0 = memory0[place0_q];
    wire [39:0] word1 = memory1[place1_q];
    wire [39:0] old   = bank_q ? word1 : word0;
    // No count exceeds 512, so that none carries into the next one.
    wire [39:0] next  = {old[39:20] + {9'd0, more_q[3], 9'd0, more_q[2]}, old[19:0] + {9'd0, more_q[1], 9'd0, more_q[0]}};
    always_ff @(posedge clk_i) begin
      if (write0_q) memory0[place0_q] <= next & {40{~reads0_q}};
      if (write1_q) memory1[place1_q] <= next & {40{~reads1_q}};
    end
    always_ff @(posedge clk_i) if (scan1_q) read_q[i] <= scan_bank_q ? word1 : word0;
  end

  for (genvar f = 0; f < 4; f++) begin : gen_sum
    logic [11:0] lower_q, upper_q;
    logic [12:0] sum_q;
    always_ff @(posedge clk_i) begin
      if (scan2_q) begin
        lower_q <= ({2'd0, read_q[0][10*f +: 10]} + {2'd0, read_q[1][10*f +: 10]}) +
                   ({2'd0, read_q[2][10*f +: 10]} + {2'd0, read_q[3][10*f +: 10]});
        upper_q <= ({2'd0, read_q[4][10*f +: 10]} + {2'd0, read_q[5][10*f +: 10]}) +
                   ({2'd0, read_q[6][10*f +: 10]} + {2'd0, read_q[7][10*f +: 10]});
      end
      if (scan3_q) sum_q <= {1'b0, lower_q} + {1'b0, upper_q};
    end
    assign counts_o[13*f +: 13] = sum_q;
  end

  `GW_ASSERT(NoneCountsInWhatIsRead, !(valid_i && (bank_i ? reads1 : reads0)))
  `GW_ASSERT(NoneIsReadWhileItIsCleared, !(scan_i && clear_q))
  `GW_COVER(CountsBesideAScan, valid_i && scan_i)
endmodule

`default_nettype wire
