// A popped item becomes a vector of bytes: signs or floats, status. And what is left of its values, for the
// residual memory.
// Latency 1 cycle to the vector, 6 to the residuals (after the pop 2 and 7); one item a cycle.
// docs/devices/onebit.md, vector, residual.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_onebit_pack #(
  parameter int RowBits = 13
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               valid_i,
  input  wire logic               first_i,
  input  wire logic               raw_i,
  input  wire logic               payload_i,  // and not RAW
  input  wire logic               last_i,
  input  wire logic               final_i,
  input  wire logic [19:0]        n_i,
  input  wire logic [255:0]       float_i,    // of RAW
  input  wire logic [2:0]         status_i,
  input  wire logic [7:0]         signs_i,
  // of the side that is not negative in the lower half; without signs
  input  wire logic [61:0]        means_i,
  output logic                    valid_o,    // one cycle later
  output logic [271:0]            vector_o,
  output logic [5:0]              length_o,
  output logic                    first_o,
  output logic                    last_o,
  output logic [1:0]              user_o,     // RAW, status bit 2
  output logic [127:0]            header_o,
  // Residuals.
  input  wire logic               residual_i,
  input  wire logic               turn_i,
  input  wire logic [7:0]         here_i,
  input  wire logic [RowBits-1:0] row_i,
  input  wire logic [255:0]       value_i,
  output logic                    write_o,    // six cycles later
  output logic                    write_turn_o,
  output logic [7:0]              write_lanes_o,
  output logic [RowBits-1:0]      write_row_o,
  output logic [255:0]            write_data_o
);
  // Bytes before the status: of RAW four a value; of a payload item with signs one; of others none.
  wire       empty  = n_i == 20'd0;
  wire       short_ = last_i & (n_i[2:0] != 3'd0 | empty);
  wire [3:0] values = {~short_, n_i[2:0] & {3{short_}}};
  wire       floats = raw_i & (last_i | ~final_i);  // the item after RAW's payload is its last one, too
  wire [5:0] bytes  = floats ? {values, 2'd0} : {5'd0, payload_i};
  wire [32:0] place;
  wire [271:0] status;
  for (genvar i = 0; i < 34; i++) begin : gen_status
    if (i <= 32 && (i <= 1 || i % 4 == 0)) begin : gen_place
      assign place[i] = final_i & bytes == 6'(i);
      assign status[8*i +: 8] = {5'd0, status_i & {3{place[i]}}};
    end else begin : gen_none
      if (i <= 32) begin : gen_no_place
        assign place[i] = 1'b0;
      end
      assign status[8*i +: 8] = 8'd0;
    end
  end
  wire unused = ^place;
  wire [255:0] content = raw_i ? float_i : {248'd0, signs_i & {8{payload_i}}};
  always_ff @(posedge clk_i) valid_o <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    vector_o <= {16'd0, content} | status;
    length_o <= bytes + {5'd0, final_i};
    first_o  <= first_i;
    last_o   <= final_i;
    user_o   <= {raw_i, status_i[2] & final_i};
    header_o <= {{1'b1, means_i[61:31], 1'b0, means_i[30:0]} & {64{~raw_i}}, 12'd0, n_i, 24'd0, 5'd0, ~raw_i,
                 2'd0};
  end

  gw_onebit_residuals #(.RowBits(RowBits)) u_residuals (
    .clk_i, .rst_ni,
    .valid_i (valid_i & payload_i & residual_i),
    .turn_i, .here_i, .row_i,
    .sent_i  (8'hFF),
    .signs_i, .means_i, .value_i, .write_o, .write_turn_o, .write_lanes_o, .write_row_o, .write_data_o
  );

  `GW_ASSERT(LastHasItsStatus, !valid_o || !last_o || length_o != 6'd0)
  `GW_COVER(LongestVector, valid_o && length_o == 6'd33)
  `GW_COVER(EmptyVector, valid_o && length_o == 6'd0)
endmodule

`default_nettype wire
