# SPDX-License-Identifier: Apache-2.0
"""Testbench that runs a netlist in lockstep with its RTL: bench.py TOP NETLIST.json CYCLES PARAMETERS > bench.sv

Every port comes from the netlist: inputs are driven alike, outputs must be equal in each cycle once reset has been seen and the pipelines are full; what
a stream or an array shows while it is not valid is not looked at. Verilator's two-state values give both the same start.
"""
import json
import sys

KINDS = {"gw_compressor": 0, "gw_decompressor": 1}  # as gw_netlist_source numbers them; others: floats (0) in chunks, or frames (2)
CHUNK_USER = 53  # bits of tuser beside a chunk: error, number of values, row


def drives(name, width, top):
    """What a plain input is driven with in each cycle."""
    if name == "bound_i":
        return "sources_idle ? 4'($urandom % 14 + 1) : bound_i"
    if name == "bounded_i":
        return "sources_idle ? 1'($urandom) : bounded_i"
    if name in ("workers_i", "group_i", "depth_i"):
        return {"workers_i": "5'd4", "group_i": "16'd1", "depth_i": f"{width}'d7"}[name]
    if name == "threshold_i":  # most of them legal, about the values
        return "{1'b0, 8'd116 + 8'($urandom % 8), 15'($urandom), 8'($urandom % 8 / 7)}"
    if name == "cfg_valid_i":
        return "cycle < 2000 || $urandom % 64 == 0"
    if name == "cfg_address_i":
        return "$urandom & 32'hB000_003F"
    if name == "enable_i":
        return f"{{{width}{{1'b1}}}}"
    if name in ("valid_i", "start_i"):
        return "cycle % Interval == 0 && (cycle % 4096 < 2048 || $urandom % 4 != 0)"
    if name == "m_axis_tready":
        return f"cycle % 8192 < 4096 ? {{{width}{{1'b1}}}} : {width}'($urandom)"
    if width >= 32 and width % 32 == 0 and not top.startswith("gw_parser"):
        return "{" + ", ".join(["value($urandom, $urandom)"] * (width // 32)) + "}"
    return f"{width}'($urandom)"


def differs(name, width, ports):
    """Whether an output differs; of a stream's payload, each port's share counts while that port is valid."""
    valid = "m_axis_tvalid" if name.startswith("m_axis_") else "valid_o"
    if name == valid or valid not in ports or name in ("s_axis_tready", "stat_o", "event_o", "error_count_o"):
        return f"{name} !== {name}_n"
    share = width[name] // width[valid]
    mask = ", ".join(f"{{{share}{{{valid}[{i}]}}}}" for i in reversed(range(width[valid])))
    return f"(({name} ^ {name}_n) & {{{mask}}}) != 0"


def main(top, path, cycles, parameters):
    with open(path, encoding="utf-8") as file:
        ports = json.load(file)["modules"][f"{top}_netlist"]["ports"]
    width = {name: len(port["bits"]) for name, port in ports.items()}
    outputs = [name for name, port in ports.items() if port["direction"] == "output"]
    clock = "aclk" if "aclk" in ports else "clk_i"
    reset = next((name for name in ("aresetn", "rst_ni") if name in ports), None)
    source = [name for name in ports if name.startswith("s_axis_") and name not in outputs]
    plain = [name for name in ports if name not in outputs + source + [clock, reset]]
    streams = width.get("s_axis_tvalid", 0)

    print("`default_nettype none\nmodule bench;")
    print("  bit clk, rst_n;\n  int cycle, differ, reached;\n  bit sources_idle;")
    print("  localparam int Interval = " + ("512" if "Iterative=1" in parameters or "divsqrt" in top else "1") + ";")
    print("  function automatic [31:0] value(input [31:0] draw, input [31:0] fraction);")
    print("    value = fraction;\n    if (draw[1:0] != 2'd0) value[30:23] = 8'd120 + {4'd0, draw[6:3]};")
    print("    if (draw[10:7] == 4'd0) value[22:0] = '0;\n    if (draw[15:11] == 5'd0) value[30:23] = {8{draw[16]}};")
    print("  endfunction")
    for name in source:
        print(f"  wire [{width[name] - 1}:0] {name};")
    for name in plain:
        print(f"  bit [{width[name] - 1}:0] {name};")
    for name in outputs:
        print(f"  wire [{width[name] - 1}:0] {name}, {name}_n;")
    if streams:
        kind = KINDS.get(top, 0 if width["s_axis_tuser"] == CHUNK_USER else 2)
        user = width["s_axis_tuser"] // streams
        print(f"  wire [{streams - 1}:0] user;")
        print(f"  for (genvar p = 0; p < {streams}; p++) begin : gen_source")
        print(f"    gw_netlist_source #(.Kind({kind}), .Port(p)) u_source (")
        print("      .clk_i(clk), .rst_ni(rst_n), .ready_i(s_axis_tready[p]), .data_o(s_axis_tdata[256*p +: 256]),")
        print("      .keep_o(s_axis_tkeep[32*p +: 32]), .valid_o(s_axis_tvalid[p]), .last_o(s_axis_tlast[p]), .user_o(user[p])")
        print("    );\n  end")
        if user == CHUNK_USER:  # any row and number of values that is not large, for as long as the beat waits
            print("  assign s_axis_tuser = {user, 11'd0, s_axis_tdata[8:0], 8'd0, 18'd0, s_axis_tdata[37:32]};")
        else:
            print("  assign s_axis_tuser = " + ("{%d{user}};" % user if user > 1 else "user;"))
        if "bound_i" in ports:
            print("  always @(posedge clk) sources_idle <= s_axis_tvalid[0] && s_axis_tready[0] && s_axis_tlast[0];")
    for suffix, module in (("", f"{top} #({parameters})" if parameters else top), ("_n", f"{top}_netlist")):
        pins = [f".{clock}(clk)"] + ([f".{reset}(rst_n)"] if reset else [])
        pins += [f".{name}" for name in source + plain]
        pins += [f".{name}({name}{suffix})" for name in outputs]
        print(f"  {module} u_{'netlist' if suffix else 'rtl'} ({', '.join(pins)});")
    print("  always #5 clk = ~clk;\n  always @(negedge clk) begin")
    for name in plain:
        print(f"    {name} <= {drives(name, width[name], top)};")
    print("    rst_n <= cycle >= 4 && (cycle % 6000 != 5999);")
    print("  end\n  always @(posedge clk) begin\n    cycle <= cycle + 1;\n    if (cycle > 64 && (")
    print("      " + "\n      || ".join(differs(name, width, ports) for name in outputs) + ")) begin")
    print("      differ <= differ + 1;\n      if (differ == 0) $display(\"first difference in cycle %0d\", cycle);\n    end")
    shown = next((name for name in ("m_axis_tvalid", "valid_o", "result_o", "min_o") if name in ports), None)
    print(f"    if ({shown} != 0) reached <= reached + 1;")
    print(f"    if (cycle == {cycles}) begin")
    print(f"      $display(\"{top}: %0d differences in {cycles} cycles, {shown} not 0 in %0d\", differ, reached);")
    if "stat_o" in ports:
        print("      for (int i = 0; i < $bits(stat_o) / 32; i++) $display(\"stat_o[%0d] = %0d\", i, stat_o[32*i +: 32]);")
    print("      $finish;")
    print("    end\n  end\nendmodule\n`default_nettype wire")


main(*sys.argv[1:])
