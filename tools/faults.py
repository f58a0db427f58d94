#!/usr/bin/env python3
"""Plants faults in models, references, harness and reports, one at a time, and tells which the fast tests notice.

    tools/faults.py [NAME...]              those of tests/faults/faults.toml, or some (shell patterns)
    tools/faults.py --operators N          N of them made by changing operators and numbers, drawn by --seed
    tools/faults.py --list

Works in a copy of the tree, out/faults, so that the tree itself is never changed; a second run goes on where the first ended
(--again: begins anew). Prints a line a fault and the kill rate. Exit code: 0 if at least 95 % were noticed and each survivor
has a reason in the list, 1 if not, 2 for a wrong option or a fault that no longer fits the code.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/faults/faults.toml"
WORK = ROOT / "out/faults"
TREE = WORK / "tree"
BUILD = WORK / "build"
# Tests of which a fault costs minutes, or that run nothing of ours.
SLOW = "slow|speed|long|builds|scripts|icarus|live"
GOAL = 95

# Where operators are changed, and which tests are nearest.
PLACES = [
    ("models/systemc/*compressor*", ["systemc_codec_test", "codec_streams_test", "codec_pins_test"]),
    ("models/systemc/group_codec.h", ["systemc_codec_test", "codec_streams_test"]),
    ("models/systemc/nic_*", ["systemc_nic_test", "nic_devices_test"]),
    ("models/systemc/*_module.h", ["systemc_module_test", "systemc_frame_module_test"]),
    ("models/systemc/*.cc", ["switch_frames_test", "devices_matrix_test", "switch_optimizer_test", "switch_switch_test"]),
    ("models/reference/codec*.cc", ["reference_codec_value_test", "reference_codec_stream_test"]),
    ("models/reference/capture/*.cc", ["capture_test"]),
    ("models/reference/nic/*.cc", ["nic_reference_test"]),
    ("models/reference/expether/*.cc", ["reference_switch_frame_test"]),
    ("models/reference/aggregator/*.cc", ["reference_switch_aggregator_test"]),
    ("models/reference/optimizer/*.cc", ["reference_switch_fp_test", "reference_switch_optimizer_test"]),
    ("models/reference/*/*.cc", ["switch_feeds_test", "devices_matrix_test"]),
    ("sim/harness/*", ["harness_test", "codec_figures_test", "switch_skip_test"]),
    ("sim/report/*.cc", ["report_test"]),
    ("sim/feeds/*.cc", ["feeds_test", "codec_wiring_test", "switch_feeds_test"]),
    ("sim/run/*.cc", ["codec_figures_test", "switch_figures_test", "cli_test"]),
]
# What an operator or a number becomes. Spaces around it tell an operator from a bracket of a template.
CHANGES = [
    (r" < ", [" <= ", " > "]), (r" <= ", [" < "]), (r" > ", [" >= ", " < "]), (r" >= ", [" > "]),
    (r" == ", [" != "]), (r" != ", [" == "]), (r" && ", [" || "]), (r" \|\| ", [" && "]),
    (r" \+ ", [" - "]), (r" - ", [" + "]), (r" \+= ", [" -= "]), (r" -= ", [" += "]),
    (r" & ", [" | "]), (r" \| ", [" & "]), (r" << ", [" >> "]), (r" >> ", [" << "]),
    (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]), (r"(?<=[ (\[])0(?=[;,)\] ])", ["1"]),
    (r"(?<=[ (\[])1(?=[;,)\] ])", ["0", "2"]), (r"(?<=[ (\[])(2|4|8|32)(?=[;,)\] ])", ["3"]),
]


def fail(sentence):
    print(f"faults: {sentence}", file=sys.stderr)
    sys.exit(2)


def run(words, log, timeout=3600):
    with open(log, "ab") as out:
        out.write((" ".join(map(str, words)) + "\n").encode())
        out.flush()
        try:
            return subprocess.run(words, stdout=out, stderr=subprocess.STDOUT, cwd=WORK, timeout=timeout).returncode
        except subprocess.TimeoutExpired:
            return -1


def copy_tree():
    """The files that git knows of, as they are; only those that changed are written, so that what is built stays built."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True).stdout.decode().split("\0")
    known = {name for name in names if name and (ROOT / name).is_file()}
    for name in known:
        source, target = ROOT / name, TREE / name
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            os.chmod(target, source.stat().st_mode)
    for path in list(TREE.rglob("*")):
        if path.is_file() and str(path.relative_to(TREE)) not in known:
            path.unlink()


def listed(patterns):
    faults = tomllib.loads(LIST.read_text())["fault"]
    for fault in faults:
        text = (ROOT / fault["file"]).read_text()
        if text.count(fault["old"]) != 1:
            fail(f"{LIST.relative_to(ROOT)}: '{fault['name']}': its text stands {text.count(fault['old'])} times in {fault['file']}")
    if not patterns:
        return faults
    chosen = [f for f in faults if any(fnmatch.fnmatch(f["name"], p) for p in patterns)]
    for p in patterns:
        if not any(fnmatch.fnmatch(f["name"], p) for f in faults):
            fail(f"no fault is named '{p}'; --list shows them")
    return chosen


def code_only(text):
    """The text with comments, strings and preprocessor lines blanked, of the same length."""
    blank = lambda m: re.sub(r"[^\n]", "\0", m.group())
    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', blank, text)
    return re.sub(r"^[ \t]*(#|static_assert|template|using )[^\n]*", blank, text, flags=re.M)


def drawn(count, seed):
    """Faults by operators: the same for the same seed and code."""
    places = []
    seen = set()
    for pattern, near in PLACES:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if path.suffix not in (".cc", ".h") or name in seen:
                continue
            seen.add(name)
            text = path.read_text()
            code = code_only(text)
            for expression, results in CHANGES:
                for match in re.finditer(expression, code):
                    places += [(name, match.start(), match.end(), result, near) for result in results]
    random.Random(seed).shuffle(places)
    faults = []
    for name, start, end, new, near in places[:count]:
        text = (ROOT / name).read_text()
        line = text.count("\n", 0, start) + 1
        faults.append({"name": f"{name}:{line}:{start - text.rfind(chr(10), 0, start)}", "file": name, "near": near,
                       "at": (start, end), "new": new, "why": f"'{text[start:end].strip()}' becomes '{new.strip()}'"})
    return faults


def planted(fault, text):
    if "at" in fault:
        start, end = fault["at"]
        return text[:start] + fault["new"] + text[end:]
    return text.replace(fault["old"], fault["new"])


class Bench:
    """Builds and runs tests in the copy."""

    def __init__(self):
        self.log = WORK / "log"
        if not (BUILD / "build.ninja").exists():
            # A fault costs more to compile than to run.
            if run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DGRADWIRE_OPTIMIZATION=-O1"], self.log) != 0:
                fail(f"configuring failed, see {self.log.relative_to(ROOT)}")
        tests = json.loads(subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1", "-LE", SLOW], check=True,
                                          capture_output=True).stdout)["tests"]
        self.fast = {test["name"] for test in tests}
        targets = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
        self.targets = set(re.findall(r"^([A-Za-z_0-9]+): phony", targets, re.M))

    def build(self, targets=()):
        return run(["cmake", "--build", BUILD, "--parallel", str(os.cpu_count()), *(["--target", *targets] if targets else [])],
                   self.log) == 0

    def failing(self, tests=None):
        """The name of a test that fails, or nothing."""
        words = ["ctest", "--test-dir", str(BUILD), "--stop-on-failure", "--timeout", "300", "--parallel", str(os.cpu_count())]
        words += ["-R", "^(" + "|".join(tests) + ")$"] if tests else ["-LE", SLOW]
        said = subprocess.run(words, capture_output=True, text=True)
        with open(self.log, "a") as out:
            out.write(said.stdout)
        if said.returncode == 0:
            return None
        # Not the list at the end: the first one.
        match = re.search(r"Test +#\d+: (\S+) \.*.*\*\*\*", said.stdout)
        return match.group(1) if match else "ctest"

    def verdict(self, fault):
        near = [test for test in fault["near"] if test in self.fast]
        targets = [test for test in near if test in self.targets]
        if len(targets) < len(near) or "cli_test" in near:
            targets.append("gradwire")
        if near:
            if not self.build(targets):
                return "does not build", ""
            killer = self.failing(near)
            if killer:
                return "killed", killer
        if not self.build():
            return "does not build", ""
        killer = self.failing()
        return ("killed", killer) if killer else ("survived", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--operators", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true", help="forgets what an earlier run found")
    options = parser.parse_args()
    if options.operators is not None and (options.operators < 1 or options.names):
        fail("--operators wants a number above 0, and no names beside it")
    faults = drawn(options.operators, options.seed) if options.operators else listed(options.names)
    if options.list:
        for fault in faults:
            print(f"{fault['name']:40} {fault['file']}: {fault['why']}")
        return 0

    WORK.mkdir(parents=True, exist_ok=True)
    copy_tree()
    bench = Bench()
    # What was found before holds for the same fault in the same tree.
    tree = subprocess.run(["git", "hash-object", "--stdin"], input="".join(
        f"{p.relative_to(TREE)} {p.read_text(errors='replace')}" for p in sorted(TREE.rglob("*"))
        if p.suffix in (".cc", ".h", ".sv", ".svh", ".txt", ".cmake")), text=True, capture_output=True, check=True).stdout.strip()
    memory = WORK / "found.json"
    found = json.loads(memory.read_text()) if memory.exists() and not options.again else {}
    if found.get("tree") != tree:
        found = {"tree": tree}
        print("faults: the fast tests without a fault", flush=True)
        if not bench.build() or (killer := bench.failing()):
            fail(f"the tree itself does not pass ({killer}), see {bench.log.relative_to(ROOT)}")
        memory.write_text(json.dumps(found))

    counts = {"killed": 0, "survived": 0, "does not build": 0, "right to survive": 0}
    for number, fault in enumerate(faults, 1):
        key = f"{fault['name']} {fault['why']}"
        begin = time.monotonic()
        if key not in found:
            target = TREE / fault["file"]
            text = target.read_text()
            try:
                target.write_text(planted(fault, text))
                found[key] = bench.verdict(fault)
            finally:
                target.write_text(text)
            memory.write_text(json.dumps(found))
        verdict, by = found[key]
        if verdict == "survived" and "survives" in fault:
            verdict, by = "right to survive", fault["survives"]
        counts[verdict] += 1
        seconds = time.monotonic() - begin
        print(f"{number:4}/{len(faults)} {fault['name']:42} {verdict}{': ' + by if by else ''}"
              + ("" if verdict != "survived" else f"  ({fault['why']})") + f"  {seconds:.0f} s", flush=True)

    of = counts["killed"] + counts["survived"]
    rate = 100 * counts["killed"] / of if of else 0
    print(f"faults: {counts['killed']} of {of} noticed, {rate:.1f} %; {counts['survived']} survived, "
          f"{counts['right to survive']} rightly; {counts['does not build']} do not build")
    return 0 if of and rate >= GOAL and (options.operators or counts["survived"] == 0) else 1


if __name__ == "__main__":
    sys.exit(main())
