// Registers and memories that nothing sets, in modules that Verilator inlines and in one that it must not, pairs that
// always hold the same, an undefined value, and random numbers: all of it shown. tests/engine/start_values_test.cc holds
// builds of it against each other.
`default_nettype none

module starts_leaf (
  input  wire logic        aclk,
  output logic [63:0]      shown_o
);
  logic [6:0]  narrow;
  logic [33:0] middle;
  logic [99:0] wide;
  logic [12:0] memory [0:2];
  always_ff @(posedge aclk) begin
    narrow    <= narrow;
    middle    <= middle;
    wide      <= wide;
    memory[1] <= memory[1];
  end
  assign shown_o = {narrow, memory[0][5:0], memory[1][5:0], memory[2][5:0], middle[33:24], wide[99:85], wide[13:0]};
endmodule

module starts_kept (
  input  wire logic        aclk,
  output logic [63:0]      shown_o
);
  /*verilator no_inline_module*/
  starts_leaf u_leaf (.aclk, .shown_o);
endmodule

module starts (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [63:0]       first_o,
  output logic [63:0]       second_o,
  output logic [63:0]       kept_o,
  output logic [63:0]       other_o
);
  logic [63:0] leaf [0:1];
  for (genvar i = 0; i < 2; ++i) begin : gen_leaf
    starts_leaf u_leaf (.aclk, .shown_o(leaf[i]));
  end
  assign first_o  = leaf[0];
  assign second_o = leaf[1];
  starts_kept u_kept (.aclk, .shown_o(kept_o));

  // Two that a simulator may make one of.
  logic [15:0] one_q, same_q;
  logic [15:0] drawn_q;
  logic [15:0] unknown;
  always_ff @(posedge aclk) begin
    one_q   <= s_axis_tdata[15:0];
    same_q  <= s_axis_tdata[15:0];
    drawn_q <= 16'($urandom);
  end
  always_comb begin
    case (s_axis_tvalid)
      1'b1:    unknown = s_axis_tdata[31:16];
      default: unknown = 'x;
    endcase
  end
  assign other_o = {one_q, same_q, drawn_q, unknown};

  assign s_axis_tready = aresetn && m_axis_tready;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tvalid, m_axis_tlast, m_axis_tuser} = '0;
  EachIsSeen: cover property (@(posedge aclk) s_axis_tvalid);
  NoKeep: assert property (@(posedge aclk) disable iff (!aresetn) !(s_axis_tvalid && s_axis_tkeep == 32'd0))
    else $error("no byte is kept");
endmodule

`default_nettype wire
