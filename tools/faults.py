#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in models, references, harness and reports, one at a time, and tells which the fast tests notice.

    tools/faults.py [NAME...]              those of tests/faults/faults.toml, or some (shell patterns)
    tools/faults.py --operators N          N of them made by changing operators and numbers, drawn by --seed, all in one build
    tools/faults.py --list

Works in copies of the tree below out/faults, so that the tree itself is never changed; a second run goes on where the first ended
(--again: begins anew). Prints a line a fault and the kill rate. Exit code: 0 if at least 95 % were noticed and each survivor
has a reason in the list (tests/faults/faults.toml, of operators tests/faults/survivors.toml), 1 if not, 2 for a wrong option, a fault
that no longer fits the code, or a tree that does not pass without any.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/faults"))
import operators  # noqa: E402 # of that folder

LIST = ROOT / "tests/faults/faults.toml"
SURVIVORS = ROOT / "tests/faults/survivors.toml"
WORK = ROOT / "out/faults"
# Tests of which a fault costs minutes, or that run nothing of ours.
SLOW = "slow|speed|long|builds|scripts|icarus|live|farm"
GOAL = 95


def fail(sentence):
    print(f"faults: {sentence}", file=sys.stderr)
    sys.exit(2)


def run(words, log):
    """Its exit code, and what it said."""
    said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=WORK, errors="replace")
    with open(log, "a", encoding="utf-8") as out:
        out.write(" ".join(map(str, words)) + "\n" + said.stdout)
    return said.returncode, said.stdout


def known_files():
    """Those that git knows of."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True).stdout.decode().split("\0")
    return {name for name in names if name and (ROOT / name).is_file()}


def hash_of_sources():
    text = "".join(f"{name} {(ROOT / name).read_text(errors='replace')}" for name in sorted(known_files())
                   if name.endswith((".cc", ".h", ".sv", ".svh", ".txt", ".cmake", ".py")))
    return hashlib.sha256(text.encode()).hexdigest()


def copy_tree(tree, keep=()):
    """The files that git knows of, as they are; only those that changed are written, so that what is built stays built."""
    known = known_files()
    for name in known - set(keep):
        source, target = ROOT / name, tree / name
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            os.chmod(target, source.stat().st_mode)
    for path in list(tree.rglob("*")):
        if path.is_file() and str(path.relative_to(tree)) not in known:
            path.unlink()


def configure(tree, build, log):
    # A fault costs more to compile than to run.
    if not (build / "build.ninja").exists() and run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DGRADWIRE_OPTIMIZATION=-O1"], log)[0]:
        fail(f"configuring failed, see {log.relative_to(ROOT)}")


def fast_tests(build):
    tests = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-LE", SLOW], check=True,
                                      capture_output=True).stdout)["tests"]
    return {test["name"] for test in tests}


def known_tests():
    """As the tests' CMakeLists.txt name them: a name that is none of these would be passed over in silence."""
    text = "".join(path.read_text() for path in (ROOT / "tests").glob("**/CMakeLists.txt"))
    return set(re.findall(r"(?:gw_add_(?:program_)?test\(|add_test\(NAME )(\w+)", text))


def listed(patterns):
    faults = tomllib.loads(LIST.read_text())["fault"]
    tests = known_tests()
    for fault in faults:
        for test in fault["near"]:
            if test not in tests:
                fail(f"{LIST.relative_to(ROOT)}: '{fault['name']}': there is no test '{test}'")
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


def key_of(fault):
    return f"{fault['name']} {fault['why']}"


def planted(fault, text):
    if "at" in fault:
        start, end = fault["at"]
        return text[:start] + fault["new"] + text[end:]
    return text.replace(fault["old"], fault["new"])


class Bench:
    """One fault at a time, planted as text; builds and runs tests in a copy of the tree."""

    def __init__(self):
        self.log, self.tree, self.build_folder = WORK / "log", WORK / "tree", WORK / "build"
        copy_tree(self.tree)
        configure(self.tree, self.build_folder, self.log)
        self.fast = fast_tests(self.build_folder)
        targets = subprocess.run(["ninja", "-C", self.build_folder, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
        self.targets = set(re.findall(r"^([A-Za-z_0-9]+): phony", targets, re.M))

    def check(self):
        """The tree itself must pass."""
        print("faults: the fast tests without a fault", flush=True)
        if not self.build() or (killer := self.failing()):
            fail(f"the tree itself does not pass ({killer}), see {self.log.relative_to(ROOT)}")

    def build(self, targets=()):
        return run(["cmake", "--build", self.build_folder, "--parallel", str(os.cpu_count()), *(["--target", *targets] if targets else [])],
                   self.log)[0] == 0

    def failing(self, tests=None):
        """The name of a test that fails, or nothing."""
        words = ["ctest", "--test-dir", str(self.build_folder), "--stop-on-failure", "--timeout", "300", "--parallel", str(os.cpu_count())]
        words += ["-R", "^(" + "|".join(tests) + ")$"] if tests else ["-LE", SLOW]
        status, said = run(words, self.log)
        if status == 0:
            return None
        # Not the list at the end: the first one.
        match = re.search(r"Test +#\d+: (\S+) \.*.*\*\*\*", said)
        return match.group(1) if match else "ctest"

    def soon(self, _):
        return True

    def planted(self, fault):
        """The verdict; afterwards the copy is as it was."""
        target = self.tree / fault["file"]
        text = target.read_text()
        try:
            target.write_text(planted(fault, text))
            return self.verdict(fault)
        finally:
            target.write_text(text)

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


def of_operators(options):
    """Faults, what gives their verdicts, and the tree in whose state they hold."""
    faults = operators.drawn(ROOT, options.operators, options.seed)
    reasons = tomllib.loads(SURVIVORS.read_text()).get("survivor", [])
    for fault in faults:
        line = (ROOT / fault["file"]).read_text().split("\n")[fault["line"] - 1]
        place = int(fault["name"].rsplit(":", 1)[1]) - 1 - (len(line) - len(line.lstrip()))
        for entry in reasons:
            if (entry["file"], entry["line"], entry["at"], entry["change"]) == (fault["file"], line.strip(), place, fault["why"]):
                fault["survives"] = entry["reason"]
    return faults


class Operators:
    """All in one build, but for those that cannot be."""

    def __init__(self, faults):
        folder = WORK / "operators"
        folder.mkdir(exist_ok=True)
        log = WORK / "log"
        copy_tree(folder / "tree", {fault["file"] for fault in faults if (folder / "tree" / fault["file"]).exists()})
        configure(folder / "tree", folder / "build", log)
        self.alone = None
        try:
            self.together = operators.Together(ROOT, folder / "tree", folder / "build", faults, lambda words: run(words, log), fast_tests,
                                               lambda text: print(f"faults: {text}", flush=True))
        except RuntimeError as why:
            fail(f"{why}, see {log.relative_to(ROOT)}")

    def soon(self, fault):
        return not self.together.as_text(fault)

    def planted(self, fault):
        if self.soon(fault):
            return self.together.verdict(fault)
        if self.alone is None:
            self.alone = Bench()
            self.alone.check()
        return self.alone.planted(fault)


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
    faults = of_operators(options) if options.operators else listed(options.names)
    if options.list:
        for fault in faults:
            print(f"{fault['name']:40} {fault['file']}: {fault['why']}")
        return 0

    WORK.mkdir(parents=True, exist_ok=True)
    # What was found before holds for the same fault in the same tree.
    tree = hash_of_sources()
    memory = WORK / "found.json"
    found = json.loads(memory.read_text()) if memory.exists() and not options.again else {}
    if found.get("tree") != tree:
        found = {"tree": tree}
    bench = None
    if any(key_of(fault) not in found for fault in faults):
        bench = Operators(faults) if options.operators else Bench()
        if not options.operators and len(found) == 1:
            bench.check()

        # Those first that take seconds.
        faults = sorted(faults, key=lambda fault: not bench.soon(fault))

    counts = {"killed": 0, "survived": 0, "does not build": 0, "right to survive": 0}

    remembering = threading.Lock()

    def verdict_of(fault):
        """With its seconds. It is remembered at once, whoever is waited for: what was cut off goes on after it."""
        key = key_of(fault)
        if key in found:
            return found[key], 0.0
        begin = time.monotonic()
        verdict = bench.planted(fault)
        with remembering:
            found[key] = verdict
            memory.write_text(json.dumps(found))
        return verdict, time.monotonic() - begin

    # Those that are in one build do not disturb each other; of those planted as text there is one copy of the tree.
    soon = [fault for fault in faults if bench is not None and bench.soon(fault)] if options.operators else []
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    ahead = dict(zip((key_of(fault) for fault in soon), [pool.submit(verdict_of, fault) for fault in soon]))
    try:
        for number, fault in enumerate(faults, 1):
            key = key_of(fault)
            (verdict, by), seconds = ahead[key].result() if key in ahead else verdict_of(fault)
            if verdict == "survived" and "survives" in fault:
                verdict, by = "right to survive", fault["survives"]
            counts[verdict] += 1
            print(f"{number:4}/{len(faults)} {fault['name']:42} {verdict}{': ' + by if by else ''}"
                  + ("" if verdict != "survived" else f"  ({fault['why']})") + f"  {seconds:.0f} s", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)

    of = counts["killed"] + counts["survived"]
    rate = 100 * counts["killed"] / of if of else 0
    print(f"faults: {counts['killed']} of {of} noticed, {rate:.1f} %; {counts['survived']} survived, "
          f"{counts['right to survive']} rightly; {counts['does not build']} do not build")
    return 0 if of and rate >= GOAL and counts["survived"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
