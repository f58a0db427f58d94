#!/usr/bin/env python3
"""Writes rtl/TOP.core, FuseSoC's description (CAPI2) of each top, from its list rtl/*/TOP.f and its source. Without arguments
all of them; `tools/cores.py --check` only says which are not what it would write."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
version = re.search(r"project\(gradwire VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def headers(files):
    """Headers that the files include, and those that these include."""
    found = []
    todo = list(files)
    while todo:
        for name in re.findall(r'`include "([^"]+)"', (root / "rtl" / todo.pop(0)).read_text(encoding="utf-8")):
            path = f"common/{name}"
            if path not in found:
                found.append(path)
                todo.append(path)
    return sorted(found)


def core(listed):
    top = listed.stem
    files = [line.removeprefix("rtl/") for line in listed.read_text(encoding="utf-8").split()]
    source = listed.with_suffix(".sv").read_text(encoding="utf-8")
    summary = re.match(r"// (.*)", source)[1].replace('"', "'")
    head = source.split(f"module {top} ", 1)[1].split(");", 1)[0]
    parameters = re.findall(r"^  parameter (?:int|bit) (\w+) = (?:1'b)?(\d+)", head, re.M)
    out = ["CAPI=2:", "# Written by tools/cores.py from " + str(listed.relative_to(root)) + ".",
           f'name: "gradwire:rtl:{top}:{version}"', f'description: "{summary}"', "", "filesets:", "  rtl:", "    files:"]
    out += [f"      - {name}: {{is_include_file: true, include_path: common}}" for name in headers(files)]
    out += [f"      - {name}" for name in files]
    out += ["    file_type: systemVerilogSource", ""]
    if parameters:
        out.append("parameters:")
        out += [f"  {name}: {{datatype: int, default: {value}, paramtype: vlogparam}}" for name, value in parameters]
        out.append("")
    taken = [f"    parameters: [{', '.join(name for name, _ in parameters)}]"] if parameters else []
    out += ["targets:", "  default:", "    filesets: [rtl]", f"    toplevel: {top}", *taken,
            "  lint:", "    filesets: [rtl]", f"    toplevel: {top}", *taken,
            "    default_tool: verilator", "    tools:", "      verilator: {mode: lint-only, verilator_options: [-Wall]}"]
    return "\n".join(out) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: tools/cores.py [--check]")
    wanted = {root / "rtl" / f"{listed.stem}.core": core(listed) for listed in sorted(root.glob("rtl/*/*.f"))}
    there = set(root.glob("rtl/*.core"))
    wrong = [path for path in sorted(there | set(wanted))
             if path not in there or path.read_text(encoding="utf-8") != wanted.get(path)]
    if sys.argv[1:]:
        for path in wrong:
            print(f"cores: {path.relative_to(root)} is not what tools/cores.py writes")
        sys.exit(1 if wrong else 0)
    for path in wrong:
        if path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
        print(f"cores: {path.relative_to(root)}")


main()
