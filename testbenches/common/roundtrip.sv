// The compressor with the decompressor behind it: the bench of Makefile.verilator for both devices.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module roundtrip (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  output logic [255:0]      m_axis_tdata,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic              packed_o  // a beat passes between the two in this cycle
);
  wire [255:0] tdata;
  wire [31:0]  tkeep;
  wire         tvalid, tready, tlast, tuser;
  wire [31:0]  unused_keep, unused_compressor_errors, unused_decompressor_errors;

  gw_compressor u_compressor (
    .aclk, .aresetn, .bound_i, .bounded_i,
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast, .s_axis_tuser(1'b0),
    .m_axis_tdata(tdata), .m_axis_tkeep(tkeep), .m_axis_tvalid(tvalid), .m_axis_tready(tready),
    .m_axis_tlast(tlast), .m_axis_tuser(tuser),
    .error_count_o(unused_compressor_errors)
  );

  gw_decompressor u_decompressor (
    .aclk, .aresetn, .bound_i, .bounded_i,
    .s_axis_tdata(tdata), .s_axis_tkeep(tkeep), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
    .s_axis_tlast(tlast), .s_axis_tuser(tuser),
    .m_axis_tdata, .m_axis_tkeep(unused_keep), .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .error_count_o(unused_decompressor_errors)
  );

  assign packed_o = tvalid & tready;
endmodule

`default_nettype wire
