#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes FuseSoC's descriptions (CAPI2): rtl/FAMILY.core, the files of each folder, and rtl/TOP.core, each top that has a list
rtl/*/TOP.f, which depends on its family: so a design takes as many tops as it likes, and each file once. Without arguments all of
them; `tools/cores.py --check` only says which are not what it would write."""
import functools
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
version = re.search(r"project\(gradwire VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
sources = {path.stem: path for path in root.glob("rtl/*/*.sv")}  # a file holds the module or package of its name
families = sorted({path.parent.name for path in sources.values()})


@functools.cache
def code(path):
    return re.sub(r"//.*", "", path.read_text(encoding="utf-8"))


def used(path):
    """Files that this one needs, by the names in it."""
    return [sources[name] for name in sorted(set(re.findall(r"\bgw_\w+", code(path)))) if name in sources and sources[name] != path]


def in_order(family):
    """The family's files, each after those that it needs."""
    done = {}

    def visit(path):
        if path.parent.name != family or path in done:
            return
        done[path] = False  # on the way
        for needed in used(path):
            if done.get(needed) is False:
                sys.exit(f"cores: {path.name} and {needed.name} need each other")
            visit(needed)
        del done[path]
        done[path] = True

    for path in sorted(sources.values()):
        visit(path)
    return list(done)


def named(family):
    return f"gradwire:rtl:{family}:{version}"


def opening(name, description, source):
    return ["CAPI=2:", f"# Written by tools/cores.py from {source}.", f'name: "{named(name)}"', f'description: "{description}"', ""]


def family_core(family):
    files = in_order(family)
    headers = sorted(root.glob(f"rtl/{family}/*.svh"))
    needs = {needed.parent.name for path in files for needed in used(path)}
    if any("`include" in code(path) for path in files):
        needs.add("common")  # where all headers are
    needs.discard(family)
    head = (root / f"rtl/{family}/README.md").read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
    out = opening(family, f"gradwire, rtl/{family}: {head}", f"rtl/{family}")
    out += ["filesets:", "  rtl:"]
    if needs:
        out += ["    depend:", *(f'      - "={named(other)}"' for other in sorted(needs))]
    out.append("    files:")
    out += [f"      - {path.relative_to(root / 'rtl')}: {{is_include_file: true, include_path: {family}}}" for path in headers]
    out += [f"      - {path.relative_to(root / 'rtl')}" for path in files]
    out += ["    file_type: systemVerilogSource", "", "targets:", "  default:", "    filesets: [rtl]"]
    return "\n".join(out) + "\n"


def top_core(listed):
    top = listed.stem
    source = listed.with_suffix(".sv").read_text(encoding="utf-8")
    # The header's first sentences: up to the line that ends with a full stop.
    summary = re.match(r"// ((?:.*\n// )*?.*[.])\n", source)[1].replace("\n// ", " ").replace('"', "'")
    head = source.split(f"module {top} ", 1)[1].split(");", 1)[0]
    parameters = re.findall(r"^  parameter (?:int|bit) (\w+) = (?:1'b)?(\d+)", head, re.M)
    out = opening(top, summary, listed.with_suffix(".sv").relative_to(root))
    out += ["filesets:", "  rtl:", "    depend:", f'      - "={named(listed.parent.name)}"', ""]
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
    wanted = {root / "rtl" / f"{family}.core": family_core(family) for family in families}
    wanted |= {root / "rtl" / f"{listed.stem}.core": top_core(listed) for listed in root.glob("rtl/*/*.f")}
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
