#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes register blocks, C++ headers and pages from rtl/registers/*.toml: generate.py [--check] [NAME...]

Of each top NAME: rtl/registers/gw_NAME_registers.sv, models/registers/NAME.h, docs/registers/NAME.md; of compressor and decompressor, which
are wired alike, the top gw_NAME_axil.sv itself. --check writes nothing and fails if one of them is not what would be written. A description
that contradicts itself is refused.
"""
import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAJOR, MINOR = 1, 1
COUNTERS, SNAPSHOTS, WORDS = 0x100, 0x200, 64  # where they begin, and how many there can be
ACCESSES = ("ro", "rw", "wo")
IDLES = ("", "write", "always")
STORES = ("constant", "input", "here", "pulse", "core")
OF_DEPTH = "1 << DepthLog2"


class Wrong(Exception):
    """A description that cannot be."""


class Field:
    def __init__(self, table, where):
        self.name = table["name"]
        self.about = table.get("about", "")
        high, self.low = table["bits"]
        self.of_depth = high == "DepthLog2"
        self.high = 16 if self.of_depth else high
        self.bits = self.high - self.low + 1
        if not 0 <= self.low <= self.high <= 31:
            raise Wrong(f"{where}.{self.name}: bits {table['bits']}")
        self.most = (1 << self.bits) - 1
        self.reset = table.get("reset", 0)
        self.least, self.greatest = table.get("legal", [0, self.most])
        self.limited = "legal" in table
        self.value = table.get("value")
        if self.of_depth and (self.reset, self.greatest) != (OF_DEPTH, OF_DEPTH):
            raise Wrong(f"{where}.{self.name}: reset and greatest of a field of DepthLog2 bits are '{OF_DEPTH}'")
        if not self.of_depth and not self.least <= self.greatest <= self.most:
            raise Wrong(f"{where}.{self.name}: {self.least} to {self.greatest} do not fit")

    @property
    def range(self):
        """Of a vector of its width."""
        return "[DepthLog2:0]" if self.of_depth else "" if self.bits == 1 else f"[{self.bits - 1}:0]"

    @property
    def mask(self):
        return self.most << self.low


class Register:
    def __init__(self, table):
        self.name = table["name"]
        self.at = table["at"]
        self.access = table["access"]
        self.idle = table.get("idle", "")
        self.only = table.get("only")
        self.store = table["store"]
        self.word = table.get("word")
        self.about = table["about"]
        for what, legal in ((self.access, ACCESSES), (self.idle, IDLES), (self.store, STORES)):
            if what not in legal:
                raise Wrong(f"{self.name}: '{what}' is none of {', '.join(legal)}")
        whole = [{"name": self.name, "bits": [31, 0], "about": ""}]
        self.fields = [Field(table, self.name) for table in table.get("fields", whole)]
        seen = 0
        for field in self.fields:
            if seen & field.mask:
                raise Wrong(f"{self.name}.{field.name} lies on another field")
            seen |= field.mask
            if (self.store == "constant") != (field.value is not None):
                raise Wrong(f"{self.name}.{field.name}: constants have a value, and only these")
        if (self.store == "core") != (self.word is not None):
            raise Wrong(f"{self.name}: registers of the core have a word, and only these")
        if (self.store == "pulse") != (self.access == "wo") or (self.store in ("constant", "input")) != (self.access == "ro"):
            raise Wrong(f"{self.name}: it cannot be {self.access} in store '{self.store}'")

    @property
    def reads(self):
        return self.access != "wo"

    @property
    def writes(self):
        return self.access != "ro"


class Map:
    """A top's registers."""

    def __init__(self, name):
        top = self.load(name)
        self.device, self.number, self.address_bits = top["device"], top["number"], top["address_bits"]
        self.parameters, self.counters, self.ports = top.get("parameters", {}), top["counters"], top["ports"]
        self.parts, self.codec = top["parts"], top.get("codec")
        self.registers, self.cells = [], None
        facts = {"number": self.number, "major": MAJOR, "minor": MINOR, "ports": self.ports}
        parts = [self.load(part) for part in self.parts]
        for part in parts:
            self.registers += [Register(table) for table in part["register"]]
            self.cells = part.get("cells", self.cells)
        for field in self.register("capability").fields:
            wide = [key for key, p in self.parameters.items() if p["capability"] == field.name]
            if wide:
                # a bit that was set to an integer has 32 bits in Icarus
                facts[field.name] = f"{wide[0]} != 1'b0" if self.parameters[wide[0]]["type"] == "bit" else f"{wide[0]}[{field.bits - 1}:0]"
            else:
                facts.setdefault(field.name, f"{field.bits}'d0")
        for register in self.registers:
            for field in register.fields:
                if field.value is not None:
                    field.value = field.value.format(**facts)
        self.check()

    @staticmethod
    def load(name):
        try:
            with open(ROOT / "rtl" / "registers" / f"{name}.toml", "rb") as file:
                return tomllib.load(file)
        except FileNotFoundError as error:
            raise Wrong(f"there is no rtl/registers/{name}.toml") from error
        except tomllib.TOMLDecodeError as error:
            raise Wrong(f"rtl/registers/{name}.toml: {error}") from error

    def check(self):
        self.registers.sort(key=lambda register: register.at)
        names, places = set(), set()
        for register in self.registers:
            if register.name in names or register.at in places:
                raise Wrong(f"{self.device}: {register.name} is there twice")
            if register.at % 4 or not 0 <= register.at < COUNTERS:
                raise Wrong(f"{self.device}: {register.name} cannot be at {register.at:#x}")
            names.add(register.name)
            places.add(register.at)
            if register.only and "Algorithm" not in self.parameters:
                raise Wrong(f"{self.device}: {register.name} depends on Algorithm, which the top does not have")
            core = self.stored("core")
            if register.store == "core" and (register.at - 4 * register.word != core[0].at - 4 * core[0].word or register.word > 31):
                raise Wrong(f"{self.device}: {register.name} is not where its word is")
            if any(field.of_depth for field in register.fields) and "DepthLog2" not in self.parameters:
                raise Wrong(f"{self.device}: {register.name} depends on DepthLog2, which the top does not have")
        if len(self.counters) > WORDS or len(set(self.counters)) != len(self.counters):
            raise Wrong(f"{self.device}: counters have names of their own, and are {WORDS} at most")
        if self.cells and self.cells["at"] != 1 << (self.address_bits - 1):
            raise Wrong(f"{self.device}: cells lie in the upper half of the addresses")

    def register(self, name):
        return next(register for register in self.registers if register.name == name)

    def stored(self, *stores):
        return [register for register in self.registers if register.store in stores]


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def generated(top, comment, columns=1000):
    sources = ", ".join(["rtl/registers/" + top.device + ".toml", *(part + ".toml" for part in top.parts)])
    text = f"{comment} Generated by tools/registers/generate.py from {sources}.\n"
    text = text if len(text) <= columns + 1 else text.replace(" from ", f" from\n{comment} ")
    return text + "// SPDX-License-Identifier: Apache-2.0\n" if comment == "//" else text


COLUMNS = 110  # of a line of RTL


# ---- C++

CPP_ACCESS = {"ro": "kReadOnly", "rw": "kReadWrite", "wo": "kWriteOnly"}
CPP_IDLE = {"": "kNone", "write": "kWrite", "always": "kAlways"}


def cpp_field(field, writes):
    least, greatest = (field.least, 0 if field.of_depth else field.greatest) if writes else (0, 0)
    reset = 0 if field.of_depth else field.reset
    words = [f'"{field.name}"', str(field.low), str(field.bits), str(reset), f"{least:#x}" if least > 9 else str(least),
             f"{greatest:#x}" if greatest > 16 else str(greatest), "true" if field.of_depth else "false"]
    return "{" + ", ".join(words) + "}"


def header(top):
    text = "// clang-format off\n" + generated(top, "//") + "#pragma once\n\n#include \"models/registers/register.h\"\n\n"
    text += f"namespace gw::registers::{top.device}_axil {{\n\n"
    text += f"inline constexpr int kAddressBits = {top.address_bits};\n\n"
    for register in top.registers:
        text += f"inline constexpr uint32_t k{camel(register.name)} = {register.at:#05x};  ///< {register.about}\n"
    text += f"inline constexpr uint32_t kCounters = {COUNTERS:#05x};   ///< live, a word each\n"
    text += f"inline constexpr uint32_t kSnapshots = {SNAPSHOTS:#05x};  ///< as they were when `snapshot` was written\n"
    text += f"inline constexpr uint32_t kIdValue = {0x47570000 | top.number:#010x};\n"
    text += f"inline constexpr uint32_t kVersionValue = {MAJOR << 16 | MINOR:#010x};\n"
    if top.cells:
        text += f"inline constexpr Cells kCells = {{{top.cells['at']:#x}, {top.cells['block_log2']}}};\n"
    text += f"\ninline constexpr std::array<Register, {len(top.registers)}> kRegisters = {{{{\n"
    for register in top.registers:
        only = sum(1 << a for a in register.only) if register.only else 0xF
        text += (f"    {{\"{register.name}\", {register.at:#05x}, Access::{CPP_ACCESS[register.access]}, "
                 f"Idle::{CPP_IDLE[register.idle]}, {only:#x}, {len(register.fields)},\n     {{{{")
        text += ",\n       ".join(cpp_field(field, register.writes) for field in register.fields) + "}}},\n"
    text += "}};\n\n"
    for register in top.registers:
        for i, field in enumerate(register.fields):
            if len(register.fields) > 1 or field.bits < 32:
                name = camel(register.name) + ("" if field.name == register.name else camel(field.name))
                at = next(n for n, r in enumerate(top.registers) if r is register)
                text += f"inline constexpr const Field& k{name}Field = kRegisters[{at}].fields[{i}];\n"
    text += f"\n/// Names of the words from kCounters and from kSnapshots on.\ninline constexpr std::array<const char*, {len(top.counters)}> kCounterNames = {{{{\n"
    for counter in top.counters:
        text += f"    \"{counter}\",\n"
    return text + f"}}}};\n\n}}  // namespace gw::registers::{top.device}_axil\n"


# ---- SystemVerilog

S_AXIL = """\
  input  wire logic [{top}:0] s_axil_awaddr,
  input  wire logic        s_axil_awvalid,
  output logic             s_axil_awready,
  input  wire logic [31:0] s_axil_wdata,
  input  wire logic [3:0]  s_axil_wstrb,
  input  wire logic        s_axil_wvalid,
  output logic             s_axil_wready,
  output logic [1:0]       s_axil_bresp,
  output logic             s_axil_bvalid,
  input  wire logic        s_axil_bready,
  input  wire logic [{top}:0] s_axil_araddr,
  input  wire logic        s_axil_arvalid,
  output logic             s_axil_arready,
  output logic [31:0]      s_axil_rdata,
  output logic [1:0]       s_axil_rresp,
  output logic             s_axil_rvalid,
  input  wire logic        s_axil_rready,
"""


def port(kind, width, name, about=""):
    kind = {"input": "input  wire logic", "output": "output logic"}[kind]
    text = f"{kind} {width}" if width else kind
    line = f"  {text:24} {name},"
    if not about:
        return line + "\n"
    return f"{line}  // {about}\n" if len(f"{line}  // {about}") <= COLUMNS else f"  // {about}\n{line}\n"


def one_of(terms, indent, none="1'b0"):
    """A disjunction, in lines that begin after `indent` columns from the second on, and so do conditions of a long term."""
    lines = [""]
    for i, term in enumerate(terms):
        piece = f"| {term}" if i else term
        if lines[-1] and indent + len(lines[-1]) + len(piece) > COLUMNS - 4:
            lines.append(piece)
        else:
            lines[-1] += f" {piece}" if lines[-1] else piece
    return ("\n" + " " * indent).join(filled(line, indent, " && ", "   ") for line in lines) if terms else none


def filled(text, indent, between, more=""):
    """Lines of `text`, cut before `between`, the first one after `indent` columns, the others after `more` besides."""
    pieces = text.split(between)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if indent + len(lines[-1]) + len(between) + len(piece) > COLUMNS - 4:
            lines[-1] += between.rstrip() if between == ", " else ""
            lines.append(more + (piece if between == ", " else between.lstrip() + piece))
        else:
            lines[-1] += between + piece
    return ("\n" + " " * indent).join(lines)


def listed(names, indent):
    """Names with commas between, in lines that begin after `indent` columns from the second on."""
    lines = [""]
    for name in names:
        if lines[-1] and indent + len(lines[-1]) + len(name) + 3 > COLUMNS:
            lines.append(name)
        else:
            lines[-1] += f", {name}" if lines[-1] else name
    return (",\n" + " " * indent).join(lines)


def slice_of(field, word):
    return f"{word}[{field.low}]" if field.bits == 1 else f"{word}[{field.high}:{field.low}]"


def legal_word(register):
    """What is to be legal of `data`, as conditions."""
    unused = ~sum(field.mask for field in register.fields) & 0xFFFFFFFF
    conditions = [f"(data & 32'h{unused:08X}) == 32'd0"] if unused else []
    for field in register.fields:
        part = slice_of(field, "data")
        if field.of_depth:
            conditions += [f"{part} >= {field.bits}'d{field.least}", f"{part} <= {field.bits}'d1 << DepthLog2"]
            continue
        if field.bits == 1 and field.least == 1:
            conditions.append(part)
            continue
        if field.least > 0:
            conditions.append(f"{part} >= {field.bits}'d{field.least}")
        if field.greatest < field.most:
            conditions.append(f"{part} <= {field.bits}'d{field.greatest}")
    return conditions


def word_of(register):
    """What a read finds, as a concatenation of 32 bits."""
    pieces, above = [], 32
    for field in sorted(register.fields, key=lambda field: -field.low):
        high = "DepthLog2" if field.of_depth else field.high
        if field.of_depth:
            pieces.append("{(31-DepthLog2){1'b0}}")
        elif high + 1 < above:
            pieces.append(f"{above - 1 - high}'d0")
        value = {"constant": field.value, "input": f"{field.name}_i", "here": f"{field.name}_o"}[register.store]
        pieces.append(value)
        above = field.low
    if above:
        pieces.append(f"{above}'d0")
    return "{" + ", ".join(pieces) + "}" if len(pieces) > 1 else pieces[0]


def block(top):
    n = len(top.counters)
    core = top.stored("core")
    here, inputs = top.stored("here"), top.stored("input")
    pulses = [register for register in top.stored("pulse") if register.name != "snapshot"]
    high = top.address_bits - 1
    text = f"// Registers of gw_{top.device}_axil: AXI4-Lite slave, what it reads and writes, counters with snapshot.\n"
    text += "// A write is done two cycles after its address and data; contract in docs/registers/README.md.\n"
    text += generated(top, "//", COLUMNS)
    text += "`default_nettype none\n\n" + f"module gw_{top.device}_registers"
    if top.parameters:
        text += " #(\n" + ",\n".join(f"  parameter {p['type']} {name} = {p['default']}" for name, p in top.parameters.items()) + "\n)"
    text += " (\n" + port("input", "", "clk_i") + port("input", "", "rst_ni")
    text += S_AXIL.format(top=high)
    for register in inputs:
        for field in register.fields:
            text += port("input", field.range, field.name + "_i", field.about)
    for register in here:
        for field in register.fields:
            text += port("output", field.range, field.name + "_o", field.about)
    for register in pulses:
        text += port("output", "", register.name + "_o", register.about)
    if core:
        text += port("output", "", "cfg_valid_o", "the core's cfg port: docs/devices/optimizer.md")
        text += port("output", "", "cfg_restore_o") + port("output", "", "cfg_read_o") + port("output", "[31:0]", "cfg_address_o")
        text += port("output", "[31:0]", "cfg_data_o") + port("input", "[31:0]", "cfg_data_i")
    text += port("input", f"[{32 * n - 1}:0]", "stat_i").replace(",", "  // the counters") + ");\n"

    text += f"""\
  wire [{high}:0] next, address;  // of the access that is done in the next cycle, in this one
  wire [31:0] data;
  wire [3:0]  strobe;
  wire        write, read, write_error;
  wire [31:0] read_data;
  logic       read_error_q;
  gw_axil_slave #(.AddressBits({top.address_bits})) u_slave (
    .clk_i, .rst_ni,
    .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
    .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
    .s_axil_arready, .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .select_address_o(next), .address_o(address), .write_o(write), .data_o(data), .strobe_o(strobe),
    .write_error_i(write_error), .read_o(read), .read_data_i(read_data), .read_error_i(read_error_q)
  );

  // 1. One cycle ahead: which register it is, and whether what is written to it is legal.
"""
    text += f"  wire near = next[{high}:10] == {high - 9}'d0 && next[1:0] == 2'd0;  // where registers and counters are\n"
    wide = max(len(register.name) for register in top.registers)
    for register in top.registers:
        only = f" && ({' || '.join(f'Algorithm == {a}' for a in register.only)})" if register.only else ""
        text += f"  wire is_{register.name:{wide}} = near && next[9:2] == 8'h{register.at >> 2:02X}{only};\n"
    for name, base in (("counter", COUNTERS), ("kept", SNAPSHOTS)):
        text += f"  wire is_{name:{wide}} = near && next[9:8] == 2'd{base >> 8}"
        text += f" && {{26'd0, next[7:2]}} < 32'd{n};\n" if n < WORDS else ";\n"
    if top.cells:
        low = top.cells["block_log2"]
        text += (f"  wire is_{'cell':{wide}} = next[{high}] && next[1:0] == 2'd0 && next[{low - 1}:2] >> (DepthLog2 + 5) == {low - 2}'d0\n"
                 f"  {' ' * wide}          && {{{32 - (high - low)}'d0, next[{high - 1}:{low}]}} <= gw_optimizer_pkg::states(Algorithm);\n")
    cell = ["is_cell"] if top.cells else []
    reads = [f"is_{r.name}" for r in top.registers if r.reads] + ["is_counter", "is_kept"] + cell
    writes = []
    for register in top.registers:
        if register.writes:
            conditions = legal_word(register)
            writes.append(f"(is_{register.name}" + "".join(" && " + c for c in conditions) + ")" if conditions else f"is_{register.name}")
    read_idle = [f"is_{r.name}" for r in top.registers if r.reads and r.idle == "always"] + cell
    write_idle = [f"is_{r.name}" for r in top.registers if r.writes and r.idle] + cell
    text += f"  wire reads  = {one_of(reads, 16)};\n"
    text += f"  wire writes = strobe == 4'hF && ({one_of(writes + cell, 16)});\n"
    hits = [r for r in top.registers if r.store in ("constant", "input", "here", "pulse")]
    text += "  logic reads_q, writes_q, counter_q, kept_q;\n"
    text += "  logic " + listed([f"is_{r.name}_q" for r in hits], 8) + ";\n"
    text += "  always_ff @(posedge clk_i) begin\n"
    pairs = [("reads_q", "reads"), ("writes_q", "writes"), ("counter_q", "is_counter"), ("kept_q", "is_kept")]
    pairs += [(f"is_{r.name}_q", f"is_{r.name}") for r in hits]
    wide = max(len(q) for q, _ in pairs)
    text += "".join(f"    {q:{wide}} <= {d};\n" for q, d in pairs) + "  end\n"
    if read_idle or write_idle:
        text += "  logic read_idle_q, write_idle_q;  // only while the device is idle\n"
        text += "  always_ff @(posedge clk_i) begin\n"
        text += f"    read_idle_q  <= {one_of(read_idle, 20)};\n    write_idle_q <= {one_of(write_idle, 20)};\n  end\n"
    write_if, read_if = (f" && (idle_i || !{k}_idle_q)" if read_idle or write_idle else "" for k in ("write", "read"))
    text += f"""
  // 2. A write is done, or refused.
  wire writing = write && writes_q{write_if};
  assign write_error = !writing;
"""
    resets = [(f"{f.name}_o", "{1'b1, {DepthLog2{1'b0}}}" if f.of_depth else f"{f.bits}'d{f.reset}") for r in here for f in r.fields]
    text += "  always_ff @(posedge clk_i) begin\n    if (!rst_ni) begin\n"
    wide = max(len(name) for name, _ in resets)
    text += "".join(f"      {name:{wide}} <= {value};\n" for name, value in resets)
    text += "    end else begin\n"
    for register in here:
        for field in register.fields:
            part = "data[DepthLog2:0]" if field.of_depth else slice_of(field, "data")
            text += f"      if (writing && is_{register.name}_q) {field.name}_o <= {part};\n"
    text += "    end\n  end\n"
    for register in pulses:
        text += f"  assign {register.name}_o = writing && is_{register.name}_q;\n"
    text += f"""  logic [{32 * n - 1}:0] snapshot_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) snapshot_q <= '0;
    else if (writing && is_snapshot_q) snapshot_q <= stat_i;
  end

  // 3. A read looks, or is refused.
  wire reading = read && reads_q{read_if};
"""
    shown = [r for r in top.registers if r.reads and r.store != "core"]
    index = (n - 1).bit_length()
    select = f"[{{address[{index + 1}:2], 5'd0}} +: 32]" if n > 1 else ""
    counter, kept = f"stat_i{select}", f"snapshot_q{select}"
    terms = [filled(f"({{32{{is_{r.name}_q}}}} & {word_of(r)})", 15, ", ", " " * 8) for r in shown]
    terms += [f"({{32{{counter_q}}}} & {counter})", f"({{32{{kept_q}}}} & {kept})"]
    text += "  logic [31:0] found_q;\n  always_ff @(posedge clk_i) begin\n    if (read) begin\n      read_error_q <= !reading;\n"
    text += "      found_q <= " + "\n               | ".join(terms) + ";\n    end\n  end\n"
    if core:
        base = core[0].at - 4 * core[0].word
        text += "\n  // 4. What the core keeps: registers and cells.\n"
        if top.cells:
            text += "  logic cell_q;\n"
        text += "  logic core_q, restore_q, core_read_q;\n  logic [4:0] word_q;\n  always_ff @(posedge clk_i) begin\n"
        names = [f"is_{r.name}" for r in core]
        text += f"    core_q    <= {one_of(names + cell, 17)};\n"
        text += f"    restore_q <= {one_of([f'is_{r.name}' for r in core if r.idle == 'always'] + cell, 17)};\n"
        text += f"    word_q    <= next[6:2] - 5'd{base >> 2 & 31};\n"
        if top.cells:
            text += "    cell_q    <= is_cell;\n"
        text += "    if (read) core_read_q <= core_q;\n  end\n"
        text += "  assign cfg_valid_o   = writing && core_q;\n  assign cfg_restore_o = restore_q;\n  assign cfg_read_o    = reading && core_q;\n"
        text += "  assign cfg_data_o    = data;\n"
        if top.cells:
            low = top.cells["block_log2"]
            text += (f"  assign cfg_address_o = cell_q ? {{2'b10, address[{high - 1}:{low}], {28 - (low - 2)}'d0, address[{low - 1}:2]}} "
                     ": {27'd0, word_q};\n")
        text += "  assign read_data = core_read_q ? cfg_data_i : found_q;\n"
    else:
        text += "  assign read_data = found_q;\n"
    unused = "address" if n == 1 else f"{{address[{high}], address[1:0]}}" if top.cells else f"{{address[{high}:{index + 2}], address[1:0]}}"
    text += f"  wire unused_bits = ^{unused};\n"
    return text + "endmodule\n\n`default_nettype wire\n"


CODEC_TOP = """\
`default_nettype none

module gw_{device}_axil (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [11:0]  s_axil_awaddr,
  input  wire logic [2:0]   s_axil_awprot,
  input  wire logic         s_axil_awvalid,
  output logic              s_axil_awready,
  input  wire logic [31:0]  s_axil_wdata,
  input  wire logic [3:0]   s_axil_wstrb,
  input  wire logic         s_axil_wvalid,
  output logic              s_axil_wready,
  output logic [1:0]        s_axil_bresp,
  output logic              s_axil_bvalid,
  input  wire logic         s_axil_bready,
  input  wire logic [11:0]  s_axil_araddr,
  input  wire logic [2:0]   s_axil_arprot,
  input  wire logic         s_axil_arvalid,
  output logic              s_axil_arready,
  output logic [31:0]       s_axil_rdata,
  output logic [1:0]        s_axil_rresp,
  output logic              s_axil_rvalid,
  input  wire logic         s_axil_rready,
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
  output logic              m_axis_tuser
);
  wire drain, idle, valid, ready;
  gw_stream_gate u_gate (
    .clk_i        (aclk),
    .rst_ni       (aresetn),
    .drain_i      (drain),
    .idle_o       (idle),
    .s_valid_i    (s_axis_tvalid),
    .s_ready_o    (s_axis_tready),
    .s_last_i     (s_axis_tlast),
    .core_valid_o (valid),
    .core_ready_i (ready),
    .m_valid_i    (m_axis_tvalid),
    .m_ready_i    (m_axis_tready),
    .m_last_i     (m_axis_tlast)
  );
  wire        bounded;
  wire [3:0]  bound;
  wire [31:0] errors;
  gw_{device} u_core (
    .aclk, .aresetn, .bound_i(bound), .bounded_i(bounded),
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid(valid), .s_axis_tready(ready), .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .error_count_o(errors)
  );
  gw_{device}_registers u_registers (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
    .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
    .s_axil_arready, .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .clearing_i (1'b0),
    .idle_i     (idle),
    .drain_o    (drain),
    .bounded_o  (bounded),
    .bound_o    (bound),
    .stat_i     (errors)
  );
  wire unused_protection = ^{{s_axil_awprot, s_axil_arprot}};
endmodule

`default_nettype wire
"""


def codec_top(top):
    """The top of a codec: its core, bounds and errors in the place of pins. None of other devices."""
    if top.codec is None:
        return None
    text = f"// {top.codec['title']} with AXI4-Lite registers: gw_{top.device} for a host that knows no pins.\n"
    text += f"// Latency and throughput the core's; contract in docs/registers/README.md and docs/devices/{top.device}.md.\n"
    text += f"// {top.codec['paper']}\n"
    return text + generated(top, "//", COLUMNS) + CODEC_TOP.format(device=top.device)


# ---- Page

def legal_of(register, field):
    if not register.writes:
        return ""
    greatest = "2^DepthLog2" if field.of_depth else field.greatest
    return f"{field.least}" if field.least == greatest else f"{field.least} .. {greatest}" if field.limited else "any"


def reset_of(register, field):
    if register.store == "here":
        return "2^DepthLog2" if field.of_depth else str(field.reset)
    return {"constant": "", "input": "", "pulse": "", "core": "see README"}[register.store]


def page(top):
    text = f"# Registers of gw_{top.device}_axil\n\n"
    text += generated(top, "<!--").rstrip("\n") + " -->\n\n"
    text += "What accesses do, and in which cycle: [README](README.md). Addresses are of bytes; all registers have 32 bits. *idle*: `W`, written while the device\n"
    text += "is idle only; `RW`, read and written while it is idle only.\n\n"
    text += "| address | register | access | idle | what |\n|---|---|---|---|---|\n"
    names = ("SGD", "Adagrad", "Adam", "SMORMS3")
    for register in top.registers:
        about = register.about + (f" ({', '.join(names[a] for a in register.only)} only)" if register.only else "")
        idle = {"": "", "write": "W", "always": "RW"}[register.idle]
        text += f"| {register.at:#05x} | `{register.name}` | {register.access} | {idle} | {about} |\n"
    last = 4 * (len(top.counters) - 1)
    text += f"| {COUNTERS:#05x} .. {COUNTERS + last:#05x} | counters | ro | | as they are |\n"
    text += f"| {SNAPSHOTS:#05x} .. {SNAPSHOTS + last:#05x} | snapshots of them | ro | | as they were when `snapshot` was written |\n"
    if top.cells:
        block = top.cells["block_log2"]
        text += (f"| {top.cells['at']:#x} + 2^{block} b + 4 i | cells | rw | RW | block b: 0 theta, 1..3 states 0..2, as many as Algorithm has; "
                 "parameter i < 32 x 2^DepthLog2 |\n")
    text += "\n## Fields\n\nBits of no field read 0.\n\n| register | bits | field | reset | legal | what |\n|---|---|---|---|---|---|\n"
    for register in top.registers:
        for field in register.fields:
            if len(register.fields) == 1 and field.bits == 32:
                continue
            high = "DepthLog2" if field.of_depth else str(field.high)
            bits = high if field.high == field.low else f"{high}:{field.low}"
            text += (f"| `{register.name}` | {bits} | `{field.name}` | {reset_of(register, field)} | {legal_of(register, field)} | "
                     f"{field.about} |\n")
    text += "\n## Counters\n\n| address | snapshot | counter |\n|---|---|---|\n"
    for i, counter in enumerate(top.counters):
        text += f"| {COUNTERS + 4 * i:#05x} | {SNAPSHOTS + 4 * i:#05x} | `{counter}` |\n"
    if top.parameters:
        text += "\n## Parameters\n\n| parameter | default | field of `capability` |\n|---|---|---|\n"
        for name, parameter in top.parameters.items():
            text += f"| `{name}` | {parameter['default'].split(chr(39) + 'b')[-1]} | `{parameter['capability']}` |\n"
    return text


OUTPUTS = {"rtl/registers/gw_{}_registers.sv": block, "rtl/registers/gw_{}_axil.sv": codec_top, "models/registers/{}.h": header,
           "docs/registers/{}.md": page}


def tops():
    folder = ROOT / "rtl" / "registers"
    return sorted(path.stem for path in folder.glob("*.toml") if re.search(r"(?m)^device\b", path.read_text(encoding="utf-8")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not what would be written")
    parser.add_argument("names", nargs="*", metavar="NAME", help="tops; all if none is given")
    options = parser.parse_args()
    stale = 0
    try:
        for name in options.names or tops():
            top = Map(name)
            for pattern, make in OUTPUTS.items():
                path = ROOT / pattern.format(name)
                text = make(top)
                if text is None:  # written by hand
                    continue
                if path.exists() and path.read_text(encoding="utf-8") == text:
                    continue
                if options.check:
                    print(f"registers: {path.relative_to(ROOT)} is not what rtl/registers/{name}.toml makes; tools/registers/generate.py does")
                    stale += 1
                else:
                    path.write_text(text, encoding="utf-8")
                    print(f"registers: wrote {path.relative_to(ROOT)}")
    except Wrong as wrong:
        print(f"registers: {wrong}", file=sys.stderr)
        return 2
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
