// Builds the values of what a step emits: aligns its bytes, gives them to lanes, gathers Rice entries beat by beat.
// Latency 6 cycles, a beat a cycle.
// docs/devices/dequantizer.md, values, decode.
`default_nettype none

module gw_dequantizer_values (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         emit_i,
  input  wire logic         error_i,
  input  wire logic         final_i,
  input  wire logic         user_i,
  input  wire logic         opens_i,
  input  wire logic         empty_i,
  input  wire logic [3:0]   take_i,
  input  wire logic [11:0]  entry_one_i,
  input  wire logic [11:0]  entry_two_i,
  input  wire logic [108:0] context_i,
  input  wire logic [319:0] words_i,
  input  wire logic [2:0]   bytes_i,   // of the first word, in front of the place
  output logic              valid_o,
  output logic [9:0]        end_o,     // tuser, tlast, lanes 8
  output logic [255:0]      data_o
);
  wire unused_context = ^context_i[104:67];

  // Cycle 1: what the step was.
  logic         emit_q, error_q, final_q, user_q, opens_q, empty_q;
  logic [3:0]   take_q;
  logic [11:0]  entry_one_q, entry_two_q;
  logic [2:0]   bytes_q;
  logic [319:0] words_q;
  logic [3:0]   kind_q;   // format, Rice
  logic [2:0]   tail_q;
  logic [63:0]  levels_q;
  always_ff @(posedge clk_i) emit_q <= emit_i & rst_ni;
  always_ff @(posedge clk_i) take_q <= take_i & {4{rst_ni}};
  always_ff @(posedge clk_i) begin
    error_q     <= error_i;
    final_q     <= final_i;
    user_q      <= user_i;
    opens_q     <= opens_i;
    empty_q     <= empty_i;
    entry_one_q <= entry_one_i;
    entry_two_q <= entry_two_i;
    bytes_q     <= bytes_i;
    words_q     <= words_i;
    kind_q      <= context_i[108:105];
    tail_q      <= context_i[66:64];
    levels_q    <= context_i[63:0];
  end

  // Cycle 2: bytes in their place; Rice entries into the beat that is due and into the one behind it.
  wire [319:0] aligned = words_q >> {bytes_q, 3'd0};
  wire unused_aligned  = ^aligned[319:264];
  wire [7:0] lane_one = 8'd1 << entry_one_q[11:9];
  wire [7:0] lane_two = 8'd1 << entry_two_q[11:9];
  logic [7:0]  sent_q;     // of the beat that is due
  logic [7:0]  sign_q;
  logic [63:0] m_q;
  wire  [7:0]  now_one  = lane_one & {8{take_q[0]}};
  wire  [7:0]  now_two  = lane_two & {8{take_q[2]}};
  wire  [7:0]  then_one = lane_one & {8{take_q[1]}};
  wire  [7:0]  then_two = lane_two & {8{take_q[3]}};
  wire  [7:0]  sent_now  = sent_q | now_one | now_two;
  wire  [7:0]  sent_then = then_one | then_two;
  wire  [7:0]  sign_now  = sign_q | (now_one & {8{entry_one_q[8]}}) | (now_two & {8{entry_two_q[8]}});
  wire  [7:0]  sign_then = (then_one & {8{entry_one_q[8]}}) | (then_two & {8{entry_two_q[8]}});
  wire  [63:0] m_now, m_then;
  for (genvar i = 0; i < 8; i++) begin : gen_gather
    assign m_now[8*i +: 8]  = m_q[8*i +: 8] | (entry_one_q[7:0] & {8{now_one[i]}}) | (entry_two_q[7:0] & {8{now_two[i]}});
    assign m_then[8*i +: 8] = (entry_one_q[7:0] & {8{then_one[i]}}) | (entry_two_q[7:0] & {8{then_two[i]}});
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q <= '0;
      sign_q <= '0;
      m_q    <= '0;
    end else begin
      sent_q <= emit_q ? sent_then : sent_now;
      sign_q <= emit_q ? sign_then : sign_now;
      m_q    <= emit_q ? m_then : m_now;
    end
  end
  logic         valid_qq, error_qq, final_qq, user_qq, opens_qq, empty_qq;
  logic [263:0] data_qq;
  logic [3:0]   kind_qq;
  logic [2:0]   tail_qq;
  logic [63:0]  levels_qq;
  logic [7:0]   sent_qq, sign_qq;
  logic [63:0]  m_qq;
  always_ff @(posedge clk_i) valid_qq <= emit_q & rst_ni;
  always_ff @(posedge clk_i) begin
    error_qq  <= error_q;
    final_qq  <= final_q;
    user_qq   <= user_q;
    opens_qq  <= opens_q;
    empty_qq  <= empty_q;
    data_qq   <= aligned[263:0];
    kind_qq   <= kind_q;
    tail_qq   <= tail_q;
    levels_qq <= levels_q;
    sent_qq   <= sent_now;
    sign_qq   <= sign_now;
    m_qq      <= m_now;
  end

  // Cycle 3: each lane's own.
  wire       rice   = kind_qq[0];
  wire [2:0] format = kind_qq[3:1];
  wire raw    = format == 3'd0;
  wire wgt    = format == 3'd1;
  wire qgt    = format == 3'd3;
  wire onebit = format == 3'd4;
  wire mx     = format[2] & format[1];
  wire fp4    = format[0];
  wire means  = format[2] & ~format[1];
  logic [7:0] scale_q;
  wire  [7:0] scale = opens_qq ? data_qq[7:0] : scale_q;
  always_ff @(posedge clk_i) if (valid_qq & mx) scale_q <= scale;
  wire [7:0]  below_n    = final_qq & tail_qq != 3'd0 ? ~(8'hFF << tail_qq) : 8'hFF;
  wire [7:0]  sent      = (rice ? sent_qq : raw | onebit | mx ? 8'hFF : data_qq[7:0] & {8{~empty_qq}})
                        & below_n & {8{~error_qq}};
  wire [7:0]  signs     = rice ? sign_qq : onebit ? ~data_qq[7:0] : data_qq[15:8];
  wire [63:0] elements  = opens_qq ? data_qq[71:8] : data_qq[63:0];
  wire [31:0] t         = levels_qq[63:32];
  wire [23:0] t_digits  = {t[30:23] != 8'd0, t[22:0]};
  wire [8:0]  t_exponent = {1'b0, t[30:24], t[23] | t[30:23] == 8'd0};

  logic        valid_q3;
  logic        product_q3;
  logic [7:0]  lanes_q3 [3:5];
  logic [1:0]  end_q3   [3:5];   // tuser, tlast
  logic        valid_q4, valid_q5;
  always_ff @(posedge clk_i) begin
    valid_q3 <= valid_qq & rst_ni;
    valid_q4 <= valid_q3 & rst_ni;
    valid_q5 <= valid_q4 & rst_ni;
    valid_o  <= valid_q5 & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    product_q3  <= (qgt | mx) & ~error_qq;
    lanes_q3[3] <= below_n | {8{error_qq}};
    end_q3[3]   <= {error_qq | (final_qq & user_qq), error_qq | final_qq};
    for (int i = 4; i <= 5; i++) begin
      lanes_q3[i] <= lanes_q3[i-1];
      end_q3[i]   <= end_q3[i-1];
    end
  end
  always_ff @(posedge clk_i) end_o <= {end_q3[5], lanes_q3[5]};

  for (genvar i = 0; i < 8; i++) begin : gen_lane
    // Values sent in lanes below.
    wire [2:0] below;
    if (i == 0) begin : gen_none
      assign below = 3'd0;
    end else begin : gen_below
      assign below = gen_lane[i-1].below + {2'd0, data_qq[i-1]};
    end
    wire [31:0] whole   = data_qq[8 + 32*below +: 32];
    wire [7:0]  m       = rice ? m_qq[8*i +: 8] : data_qq[16 + 8*below +: 8];
    wire [31:0] level   = means ? (signs[i] ? levels_qq[31:0] : t) : {t[31] ^ signs[i], t[30:0]};
    wire [7:0]  element = fp4 ? {elements[4*i + 3], 4'd0, elements[4*i +: 3]} : elements[8*i +: 8];
    wire [3:0]  e       = fp4 ? {2'd0, element[2:1]} : element[6:3];
    wire [3:0]  digits  = fp4 ? {2'd0, e != 4'd0, element[0]} : {e != 4'd0, element[2:0]};
    wire [3:0]  e_least = {e[3:1], e[0] | e == 4'd0};
    wire [8:0]  exponent = {1'b0, scale} + {5'd0, e_least} + (fp4 ? 9'd21 : 9'd13);
    logic        nan_q3, sign_q3;
    logic [7:0]  m_q3;
    logic [23:0] t_q3;
    logic [8:0]  exponent_q3;
    logic [31:0] ready_q3;
    always_ff @(posedge clk_i) begin
      nan_q3      <= mx & sent[i] & (scale == 8'hFF | (~fp4 & &element[6:0]));
      sign_q3     <= sent[i] & (mx ? element[7] : t[31] ^ signs[i]);
      m_q3        <= (mx ? {4'd0, digits} : m) & {8{sent[i]}};
      t_q3        <= mx ? 24'd1 : t_digits;
      exponent_q3 <= mx ? exponent : t_exponent;
      ready_q3    <= (raw ? data_qq[32*i +: 32] : wgt ? whole : level) & {32{sent[i]}};
    end
    gw_dequantizer_lane u_lane (
      .clk_i, .product_i(product_q3), .nan_i(nan_q3), .sign_i(sign_q3), .m_i(m_q3), .t_i(t_q3), .exponent_i(exponent_q3),
      .ready_i(ready_q3), .value_o(data_o[32*i +: 32])
    );
  end
endmodule

`default_nettype wire
