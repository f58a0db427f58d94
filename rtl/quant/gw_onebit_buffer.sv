// Chunk buffer: items that have started wait here until their chunk's means are known, and leave one a cycle.
// An item of RAW and one after the payload is popped 6 cycles after its start at the earliest, others 32
// after their chunk's last.
// docs/devices/onebit.md and docs/devices/adaptive.md, chunk buffer, start, pop.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// An item is put in piece by piece, each as soon as it is known: what it is when it starts, the values six
// cycles later, the signs eight, its chunk's means at the end of the pipeline that divides.
//
// With Ahead all but the word is taken out (pop_o) three cycles before the item is popped at the earliest, by
// a user who makes something of it first, and says when it is popped (pop_i). Cycles that are told of done_i
// are then three fewer.
module gw_onebit_buffer #(
  parameter int WordBits = 256,
  parameter int SignBits = 18,
  parameter int MeanBits = 63,
  parameter int ChunkBits = 20,
  parameter bit Ahead = 1'b0
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  output logic                     room_o,         // for an item
  output logic                     chunk_room_o,   // for another chunk
  input  wire logic                start_i,
  input  wire logic                first_i,
  input  wire logic                raw_i,
  input  wire logic                tail_i,
  input  wire logic                last_i,
  input  wire logic                final_i,
  input  wire logic [ChunkBits-1:0] n_i,           // n, and what else is known of the chunk
  input  wire logic [2:1]          status_i,       // of the chunk, with its last item
  input  wire logic                word_valid_i,   // 6 cycles later
  input  wire logic [WordBits-1:0] word_i,
  output logic [WordBits-1:0]      word_q,         // one cycle later again
  input  wire logic                signs_valid_i,  // 8 cycles later
  input  wire logic [SignBits-1:0] signs_i,
  // 31 cycles after the start of the last payload item, at most
  input  wire logic                means_valid_i,
  input  wire logic [MeanBits-1:0] means_i,
  input  wire logic                done_i,         // 31 cycles after it
  input  wire logic                credit_i,
  output logic                     pop_o,
  input  wire logic                pop_i,          // Ahead only
  input  wire logic                pop_final_i,
  // One cycle later.
  output logic                     popped_o,
  output logic                     first_o,
  output logic                     raw_o,
  output logic                     payload_o,      // and not RAW
  output logic                     last_o,
  output logic                     final_o,
  output logic [ChunkBits-1:0]     n_o,
  output logic [2:1]               status_o,
  // (Ahead: after pop_i); of a payload item that is not RAW also as
  output logic [WordBits-1:0]      word_o,
  output logic [WordBits-1:0]      kept_o,         // this, which is quicker
  output logic [SignBits-1:0]      signs_o,
  output logic [MeanBits-1:0]      means_o
);
  // What an item is: RAW; payload and not RAW, which waits for the means; the chunk's last payload item; its
  // last one.
  logic        start_q, first_q;
  logic [3:0]  kind_q;
  logic [ChunkBits-1:0] n_q;
  logic [2:1]  status_q;
  always_ff @(posedge clk_i) start_q <= start_i & rst_ni;
  always_ff @(posedge clk_i) begin
    first_q  <= first_i;
    kind_q   <= {raw_i, ~raw_i & ~tail_i, last_i & ~tail_i, final_i};
    n_q      <= n_i;
    status_q <= status_i;
  end

  // Three rings of the items, each written at its own time; those of chunks, which are begun, ended and
  // divided.
  logic [9:0] kind_write_q, word_write_q, signs_write_q, read_q, next_q, word_read_q;
  logic [5:0] chunk_write_q, status_write_q, means_write_q, chunk_read_q, means_read_q;
  (* ram_style = "distributed" *) logic [3:0]          kind_memory  [0:1023];
  (* ram_style = "block" *)       logic [WordBits-1:0] word_memory  [0:1023];
  (* ram_style = "block" *)       logic [SignBits-1:0] signs_memory [0:1023];
  (* ram_style = "distributed" *) logic [ChunkBits-1:0] chunk_memory [0:63];
  (* ram_style = "distributed" *) logic [1:0]          status_memory [0:63];
  (* ram_style = "distributed" *) logic [MeanBits-1:0] means_memory [0:63];

  // The oldest item, ahead of its pop. It is known by the time an item of its age may be popped.
  logic raw_q, waits_q, last_q, final_q;
  logic some_q, done_some_q;
  assign pop_o = credit_i & some_q & (~waits_q | done_some_q);
  wire closes      = pop_o & final_q;
  wire leaves_mean = closes & ~raw_q;
  wire consumes    = pop_o & waits_q & last_q;
  wire       leaves       = Ahead ? pop_i : pop_o;
  wire       chunk_leaves = Ahead ? pop_i & pop_final_i : closes;
  wire [9:0] word_read    = Ahead ? word_read_q : read_q;
  wire       unused_pop   = pop_i ^ pop_final_i;
  wire [3:0] kind_here = kind_memory[read_q];
  wire [3:0] kind_next = kind_memory[next_q];
  always_ff @(posedge clk_i) {raw_q, waits_q, last_q, final_q} <= pop_o ? kind_next : kind_here;

  wire opens = start_q & first_q;
  wire ends  = start_q & kind_q[0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kind_write_q   <= '0;
      word_write_q   <= '0;
      signs_write_q  <= '0;
      chunk_write_q  <= '0;
      status_write_q <= '0;
      means_write_q  <= '0;
      read_q         <= '0;
      next_q         <= 10'd1;
      word_read_q    <= '0;
      chunk_read_q   <= '0;
      means_read_q   <= '0;
    end else begin
      kind_write_q   <= kind_write_q + {9'd0, start_q};
      word_write_q   <= word_write_q + {9'd0, word_valid_i};
      signs_write_q  <= signs_write_q + {9'd0, signs_valid_i};
      chunk_write_q  <= chunk_write_q + {5'd0, opens};
      status_write_q <= status_write_q + {5'd0, ends};
      means_write_q  <= means_write_q + {5'd0, means_valid_i};
      // What is known late is an enable here, no carry.
      if (pop_o) read_q <= next_q;
      if (pop_o) next_q <= next_q + 10'd1;
      if (leaves) word_read_q <= word_read_q + 10'd1;
      if (closes) chunk_read_q <= chunk_read_q + 6'd1;
      if (leaves_mean) means_read_q <= means_read_q + 6'd1;
    end
  end

  // How many may be popped as far as their age goes, and how many chunks' payloads; both looked at a cycle
  // ahead.
  logic [5:2]  age_q;
  logic [10:0] waiting_q;
  logic [6:0]  done_q;
  wire        old     = Ahead ? age_q[2] : age_q[5];
  wire        unused_age = age_q[5];
  wire [10:0] waiting = waiting_q + {10'd0, old};
  wire [6:0]  done    = done_q + {6'd0, done_i};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      age_q       <= '0;
      waiting_q   <= '0;
      done_q      <= '0;
      some_q      <= 1'b0;
      done_some_q <= 1'b0;
    end else begin
      age_q       <= {age_q[4:2], start_q};
      if (old != pop_o) waiting_q <= old ? waiting_q + 11'd1 : waiting_q - 11'd1;
      if (done_i != consumes) done_q <= done_i ? done_q + 7'd1 : done_q - 7'd1;
      some_q      <= pop_o ? waiting[10:1] != 10'd0 : waiting != 11'd0;
      done_some_q <= consumes ? done[6:1] != 6'd0 : done != 7'd0;
    end
  end

  // Room.
  logic [10:0] items_q;
  logic [6:0]  chunks_q;
  wire [10:0] items  = items_q - {10'd0, leaves};
  wire [6:0]  chunks = chunks_q - {6'd0, chunk_leaves};
  wire        more   = start_i & first_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      items_q      <= '0;
      chunks_q     <= '0;
      room_o       <= 1'b1;
      chunk_room_o <= 1'b1;
    end else begin
      items_q      <= items + {10'd0, start_i};
      chunks_q     <= chunks + {6'd0, more};
      room_o       <= ~(items[10] | ((&items[9:0]) & start_i));
      chunk_room_o <= ~(chunks[6] | ((&chunks[5:0]) & more));
    end
  end

  // An item that is popped as soon as it may be is being written: it is taken from beside the memory.
  logic                beside_q, ends_q;
  logic [WordBits-1:0] read_word_q;
  always_ff @(posedge clk_i) begin
    if (start_q) kind_memory[kind_write_q] <= kind_q;
    if (opens) chunk_memory[chunk_write_q] <= n_q;
    if (ends) status_memory[status_write_q] <= status_q;
    if (means_valid_i) means_memory[means_write_q] <= means_i;
  end
  always_ff @(posedge clk_i) begin
    if (word_valid_i) word_memory[word_write_q] <= word_i;
    if (leaves) read_word_q <= word_memory[word_read];
  end
  always_ff @(posedge clk_i) begin
    if (signs_valid_i) signs_memory[signs_write_q] <= signs_i;
    if (pop_o) signs_o <= signs_memory[read_q];
  end
  always_ff @(posedge clk_i) begin
    if (word_valid_i) word_q <= word_i;
    beside_q <= word_valid_i & word_write_q == word_read;
    if (pop_o) begin
      raw_o     <= raw_q;
      payload_o <= waits_q;
      last_o    <= last_q;
      final_o   <= final_q;
      first_o   <= ends_q;
      n_o       <= chunk_memory[chunk_read_q];
      status_o  <= status_memory[chunk_read_q];
      means_o   <= means_memory[means_read_q];
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)    ends_q <= 1'b1;
    else if (pop_o) ends_q <= final_q;
  end
  always_ff @(posedge clk_i) popped_o <= pop_o & rst_ni;
  assign kept_o = read_word_q;
  assign word_o = beside_q ? word_q : read_word_q;

  wire [9:0] held = kind_write_q + {9'd0, start_q} - word_read;
  `GW_ASSERT(CountsItems, held == items_q[9:0])
  `GW_ASSERT(AtMostAsManyItems, items_q <= 11'd1024)
  `GW_ASSERT(AtMostAsManyChunks, chunks_q <= 7'd64)
  `GW_ASSERT(NothingIsPoppedTwice, waiting_q <= items_q)
  `GW_COVER(Full, !room_o)
  `GW_COVER(FullOfChunks, !chunk_room_o)
  `GW_COVER(PoppedWhileItIsWritten, leaves && word_valid_i && word_write_q == word_read)
  `GW_COVER(WaitsForItsMeans, waits_q && some_q && !done_some_q)
  `GW_COVER(TailIsPopped, pop_o && !waits_q && !raw_q)
  `GW_COVER(NoCreditForAnItem, !credit_i && some_q && (!waits_q || done_some_q))
endmodule

`default_nettype wire
