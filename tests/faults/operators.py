# SPDX-License-Identifier: Apache-2.0
"""Faults made by changing operators and numbers, all of them in one build: what `tools/faults.py --operators N` does.

Each place of a fault is written so that the environment says which of all is awake (tests/faults/fault.h). The fast tests run
once with nobody awake and note, test by test, where a fault would have made a difference; each fault then runs only through
those tests, the nearest and the shortest first, until one fails. A place that the compiler works out itself, or where what is written does not
compile, is planted as text, as the faults of the list are.
"""

import bisect
import concurrent.futures
import os
import random
import re
import signal
import subprocess
import threading
import time

# Which files, and which tests are tried first.
PLACES = [
    ("models/systemc/*compressor*", ["systemc_codec_test", "codec_test"]),
    ("models/systemc/group_codec.h", ["systemc_codec_test", "codec_test"]),
    ("models/systemc/nic_*", ["systemc_nic_test", "nic_devices_test"]),
    ("models/systemc/*_module.h", ["systemc_module_test"]),
    ("models/systemc/*.cc", ["switch_devices_test", "devices_matrix_test", "switch_optimizer_test", "switch_switch_test"]),
    ("models/reference/codec*.cc", ["reference_codec_test"]),
    ("models/reference/capture/*.cc", ["capture_test"]),
    ("models/reference/nic/*.cc", ["nic_reference_test"]),
    ("models/reference/expether/*.cc", ["reference_switch_test"]),
    ("models/reference/aggregator/*.cc", ["reference_switch_test"]),
    ("models/reference/optimizer/*.cc", ["reference_switch_test"]),
    ("models/reference/*/*.cc", ["switch_devices_test", "devices_matrix_test"]),
    ("sim/harness/*", ["harness_test", "codec_test", "switch_devices_test"]),
    ("sim/report/*.cc", ["report_test"]),
    ("sim/feeds/*.cc", ["feeds_test", "codec_test", "switch_devices_test"]),
    ("sim/run/*.cc", ["codec_test", "switch_devices_test", "cli_test"]),
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
# Of tests/faults/fault.h.
FUNCTORS = {
    "<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "==": "Equal", "!=": "NotEqual", "+": "Plus",
    "-": "Minus", "&": "And", "|": "Or", "<<": "Left", ">>": "Right", "+=": "Add", "-=": "Subtract",
}
LOGIC = {"&&": "both", "||": "either"}


def code_only(text):
    """The text with comments, strings and preprocessor lines blanked, of the same length."""
    blank = lambda m: re.sub(r"[^\n]", "\0", m.group())
    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', blank, text)
    return re.sub(r"^[ \t]*(#|static_assert|template|using )[^\n]*", blank, text, flags=re.M)


def drawn(root, count, seed):
    """Faults by operators: the same for the same seed and code."""
    places = []
    seen = set()
    for pattern, near in PLACES:
        for path in sorted(root.glob(pattern)):
            name = str(path.relative_to(root))
            if path.suffix not in (".cc", ".h") or name in seen:
                continue
            seen.add(name)
            code = code_only(path.read_text())
            for expression, results in CHANGES:
                for match in re.finditer(expression, code):
                    places += [(name, match.start(), match.end(), result, near) for result in results]
    random.Random(seed).shuffle(places)
    faults = []
    for number, (name, start, end, new, near) in enumerate(places[:count]):
        text = (root / name).read_text()
        line = text.count("\n", 0, start) + 1
        faults.append({"name": f"{name}:{line}:{start - text.rfind(chr(10), 0, start)}", "file": name, "near": near,
                       "at": (start, end), "new": new, "number": number, "line": line,
                       "why": f"'{text[start:end].strip()}' becomes '{new.strip()}'"})
    return faults


# What ends an operand of && or ||, at its own depth of brackets.
STOPS = {"&&": r"\|\|", "||": r"$^"}
TOKEN = re.compile(r"[(){}\[\];,?]|&&|\|\||::|:|[<>=!+\-*/%&|^]=|<<|>>|=|\breturn\b|\bco_return\b|\bco_yield\b", re.M)


def operands(code, start, end, operator):
    """Where the left operand begins and the right one ends."""
    tokens = list(TOKEN.finditer(code))
    starts = [token.start() for token in tokens]

    def stops(word, right):
        if word in "(){}[];,?" or word in (":", "=", "return", "co_return", "co_yield"):
            return True
        if len(word) == 2 and word[1] == "=" and word[0] not in "<>=!":
            return True
        if word == "||":
            return right or operator == "&&"
        return word == "&&" and right and operator == "&&"

    def extent(indices, opening, closing, right):
        depth = 0
        for i in indices:
            word = tokens[i].group()
            if word in opening:
                depth += 1
            elif word in closing:
                if depth == 0:
                    return tokens[i]
                depth -= 1
            elif depth == 0 and stops(word, right):
                return tokens[i]
        return None

    here = bisect.bisect_left(starts, start)
    before = extent(range(here - 1, -1, -1), ")]}", "([{", False)
    after = extent(range(bisect.bisect_left(starts, end), len(tokens)), "([{", ")]}", True)
    if before is None or after is None:
        return None
    left = before.end() + re.match(r"[\s\0]*", code[before.end():start]).end()
    right = end + len(code[end:after.start()].rstrip("\0 \n"))
    return (left, right) if left < start and right > end else None


def written(text, faults, header):
    """The text with all these faults asleep in it."""
    code = code_only(text)
    places = {}
    for fault in faults:
        places.setdefault(fault["at"], []).append(fault)
    edits = []  # where, which of those at one place, how much is replaced, by what
    for (start, end), here in places.items():
        old = text[start:end].strip()
        if old in LOGIC:
            extent = operands(code, start, end, old)
            if extent is None:
                continue
            left, right = extent
            edits.append((left, (1, -right), 0, f"gw_fault::{LOGIC[old]}<{here[0]['number']}>(static_cast<bool>("))
            edits.append((start, (2, 0), end - start, "), [&]() -> bool { return static_cast<bool>("))
            edits.append((right, (0, -left), 0, "); })"))
        elif old in FUNCTORS:
            awake = "".join(f", gw_fault::Fault<{f['number']}, gw_fault::{FUNCTORS[f['new'].strip()]}>" for f in here)
            edits.append((start, (2, 0), end - start, f" {old} gw_fault::At<gw_fault::{FUNCTORS[old]}{awake}>{{}} {old} "))
        else:
            awake = ", ".join(f"gw_fault::Other<{f['number']}, {f['new']}>" for f in here)
            edits.append((start, (2, 0), end - start, f"gw_fault::value<{awake}>({old})"))
    for at, _, length, new in sorted(edits, reverse=True):
        text = text[:at] + new + text[at + length:]
    return f'#include "{header}"\n#line 1\n' + text


def refused_lines(said):
    """Where the compiler found errors, or what it was asked for on the way to one."""
    lines, on_the_way = set(), []
    for match in re.finditer(r"^(\S+?):(\d+):\d+: +(error|warning|  required from)", said, re.M):
        place = (match.group(1), int(match.group(2)))
        if match.group(3) == "error":
            lines |= {place, *on_the_way}
        on_the_way = on_the_way + [place] if "required" in match.group(3) else []
    return lines


class Together:
    """All faults in one build: of `root`'s sources, in `tree`; `run` of a command logs what it says."""

    ROUNDS = 8

    def __init__(self, root, tree, build, faults, run, tests_of, say):
        self.tree, self.build, self.run, self.say = tree, build, run, say
        self.seen = build.parent / "seen"
        self.faults = faults
        self.whole = {fault["file"]: (root / fault["file"]).read_text() for fault in faults}
        self.left_out = set()  # their numbers: what stands there does not compile
        self.compile()
        self.tests = tests_of(build)
        self.runs = {name: threading.Lock() for name in self.tests}  # a test may have a folder of its own, for one run at a time
        self.look()

    def write(self):
        header = self.tree / "tests/faults/fault.h"
        for file, text in self.whole.items():
            here = [f for f in self.faults if f["file"] == file and f["number"] not in self.left_out]
            target, new = self.tree / file, written(text, here, header) if here else text
            if not target.exists() or target.read_text() != new:
                target.write_text(new)

    def compile(self):
        """Places that the compiler refuses are left out, until it refuses none."""
        for attempt in range(self.ROUNDS):
            self.write()
            self.say(f"building {len(self.faults) - len(self.left_out)} faults at once")
            status, said = self.run(["cmake", "--build", self.build, "--parallel", str(os.cpu_count()), "--", "-k", "0"])
            if status == 0:
                return
            refused = {fault["number"] for fault in self.faults for path, line in refused_lines(said)
                       if path.endswith("/" + fault["file"]) and abs(line - fault["line"]) <= 1}
            if not refused - self.left_out:
                break
            self.left_out |= refused
        raise RuntimeError("the tree does not build with its faults asleep")

    def test(self, name, timeout, **environment):
        """Whether it passed, and its seconds. A limit that the test has of its own is longer than what ctest is told, so it is ended from here."""
        begin = time.monotonic()
        words = ["ctest", "--test-dir", str(self.build), "-R", f"^{re.escape(name)}$"]
        ctest = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}, start_new_session=True)
        try:
            passed = ctest.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            os.killpg(ctest.pid, signal.SIGKILL)
            ctest.wait()
            passed = False
        return passed, time.monotonic() - begin

    def look(self):
        """Every test with nobody awake: how long it takes, and where a fault would have made a difference."""
        self.seen.mkdir(exist_ok=True)
        self.seconds, self.reached, self.differs, self.no_such = {}, set(), {}, set()

        def one(name):
            file = self.seen / name
            file.write_bytes(bytes(len(self.faults)))
            passed, seconds = self.test(name, 900, GRADWIRE_FAULTS_SEEN=str(file))
            return name, passed, seconds, file.read_bytes()

        self.say(f"{len(self.tests)} fast tests with nobody awake")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, passed, seconds, seen in pool.map(one, sorted(self.tests)):
                if not passed:
                    raise RuntimeError(f"{name} does not pass with nobody awake")
                self.seconds[name] = seconds
                for number, bits in enumerate(seen):
                    if bits & 1:
                        self.reached.add(number)
                    if bits & 2:
                        self.differs.setdefault(number, []).append(name)
                    if bits & 4:
                        self.no_such.add(number)

    def as_text(self, fault):
        """Whether it must be planted as text."""
        number = fault["number"]
        return number in self.left_out or number not in self.reached | self.no_such

    def verdict(self, fault):
        """As of Bench.verdict."""
        number = fault["number"]
        if number in self.no_such:
            return "does not build", ""
        for name in sorted(self.differs.get(number, []), key=lambda name: (name not in fault["near"], self.seconds[name])):
            # A fault may make a loop endless.
            with self.runs[name]:
                passed, _ = self.test(name, 30 + 5 * self.seconds[name], GRADWIRE_FAULT=str(number))
            if not passed:
                return "killed", name
        return "survived", "" if number in self.differs else "no test where it makes a difference"
