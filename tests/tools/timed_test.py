#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is timed, or works once a cycle, is compiled for speed: timed_test.py BUILD FLAGS [PROGRAM LIBRARY...].

Files are sorted into those that work once a run and the others by hand (gw_add_library): one that moves to the wrong side fails no
other test, and its figures are another machine's. And of an inline function that LIBRARYs, compiled for speed, have made, and others,
which are not, PROGRAM holds theirs."""
import json
import pathlib
import shlex
import subprocess
import sys

TIMED = """
models/reference/codec.cc
models/systemc/parser.cc
sim/feeds/frames.cc
testbenches/codec/devices.cc
testbenches/nic/devices.cc
testbenches/quant/devices.cc
testbenches/switch/host_cpu.cc
testbenches/switch/optimizer.cc
testbenches/switch/parser.cc
testbenches/switch/switch.cc
tools/training/network.cc
""".split()

root = pathlib.Path(__file__).resolve().parents[2]
build, flags = pathlib.Path(sys.argv[1]), sys.argv[2].split()
wanted = [flag for flag in flags if flag.startswith("-O")][-1]
found = {}
for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
    file = pathlib.Path(entry["directory"], entry["file"])
    united = "/Unity/" in str(file)
    files = [line.split('"')[1] for line in file.read_text().splitlines() if line.startswith("#include")] if united else [str(file)]
    level = [word for word in shlex.split(entry["command"]) if word.startswith("-O")][-1]
    for one in files:
        if one.startswith(f"{root}/"):
            found.setdefault(one[len(str(root)) + 1:], set()).add(level)
wrong = [f"{file}: {' '.join(sorted(found.get(file, ['is not compiled'])))}" for file in TIMED if found.get(file) != {wanted}]
engines = [file for file in found if file.endswith("_engine.cc") and "/engine_" in file and "_traced" not in file]
if wanted != "-O0":  # sanitizers take RTL from another build
    wrong += [f"{file}: {' '.join(sorted(found[file]))}" for file in engines if found[file] != {"-O3"}]
    wrong += [] if engines else ["no linked RTL"]

def inline_functions(files):
    """Sizes of what several files may make, by name; of several the first."""
    sizes = {}
    for line in subprocess.run(["nm", "-S", "--defined-only", *files], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        words = line.split()  # address, size, kind, name
        if len(words) == 4 and words[2] in "WTt":
            sizes.setdefault(words[3], (words[2], int(words[1], 16)))
    return sizes

if len(sys.argv) > 3:
    program, *libraries = sys.argv[3:]
    linked = inline_functions([program])
    ours = {name: size for name, (kind, size) in inline_functions(libraries).items() if kind == "W" and name in linked}
    others = [name for name, size in ours.items() if linked[name][1] != size]
    wrong += [f"{name} is not that of the libraries compiled for speed" for name in others[:10]]
    wrong += [] if ours else [f"{program} holds none of their inline functions"]
print("\n".join(wrong) or f"{len(TIMED)} files: {wanted}, RTL of {len(engines)} engines: -O3")
sys.exit(bool(wrong))
