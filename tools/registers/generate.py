#!/usr/bin/env python3
"""Makes register blocks, C++ headers and pages from rtl/registers/*.toml: generate.py [--check] [NAME...]

Of each top NAME: rtl/registers/gw_NAME_registers.sv, models/registers/NAME.h, docs/registers/NAME.md. --check writes nothing and fails if
one of them is not what would be written. A description that contradicts itself is refused.
"""
import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAJOR, MINOR = 1, 0
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
        self.parts = top["parts"]
        self.registers, self.cells = [], None
        facts = {"number": self.number, "major": MAJOR, "minor": MINOR, "ports": self.ports}
        parts = [self.load(part) for part in self.parts]
        for part in parts:
            self.registers += [Register(table) for table in part["register"]]
            self.cells = part.get("cells", self.cells)
        for field in self.register("capability").fields:
            wide = [key for key, p in self.parameters.items() if p["capability"] == field.name]
            if wide:
                facts[field.name] = f"{wide[0]}" if self.parameters[wide[0]]["type"] == "bit" else f"{wide[0]}[{field.bits - 1}:0]"
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


def generated(top, comment):
    sources = ", ".join(["rtl/registers/" + top.device + ".toml", *(part + ".toml" for part in top.parts)])
    return f"{comment} Generated by tools/registers/generate.py from {sources}.\n"


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


OUTPUTS = {"models/registers/{}.h": header, "docs/registers/{}.md": page}


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
