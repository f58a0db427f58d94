#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/cards.py refuses, in which words; and that README.md's table must say what cards say.

Every case is a copy of the real cards with one thing changed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONEBIT, PARSER = "testbenches/quant/onebit.card.toml", "testbenches/switch/parser.card.toml"
failed = []


def expect(what, right, said):
    if not right:
        failed.append(what)
        print(f"cards test: {what}:\n  {said}")


class Tree:
    """A copy of the cards, and of a program that lists their devices."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/cards.py", self.root / "tools")
        for card in ROOT.glob("testbenches/*/*.toml"):
            copy = self.root / card.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(card, copy)
        (self.root / "rtl").symlink_to(ROOT / "rtl")
        self.devices = [{"name": path.name.removesuffix(".card.toml"), "family": path.parent.name}
                        for path in sorted(self.root.glob("testbenches/*/*.card.toml"))]

    def run(self, *arguments):
        done = subprocess.run([sys.executable, self.root / "tools/cards.py", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def check(self):
        program = self.root / "gradwire"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'devices': self.devices})}\nEND\n")
        program.chmod(0o755)
        return self.run("check", str(program))

    def replace(self, pattern, text, card=ONEBIT):
        old = (self.root / card).read_text()
        new = re.sub(pattern, lambda _: text, old, count=1, flags=re.MULTILINE)
        assert old != new, pattern
        (self.root / card).write_text(new)


def refused(what, change, sentence):
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        change(tree)
        code, said = tree.check()
        expect(what, code == 1 and re.search(sentence, said, re.MULTILINE), said)


sys.path.insert(0, str(ROOT / "tools"))
import cards  # noqa: E402

for short, runs in [
    ("--synth mixed", ["--synth mixed"]),
    ("--a {1,2} --b {x,y z}", ["--a 1 --b x", "--a 1 --b y z", "--a 2 --b x", "--a 2 --b y z"]),
    ("--seed {8..10}{, --fast}", ["--seed 8", "--seed 8 --fast", "--seed 9", "--seed 9 --fast", "--seed 10", "--seed 10 --fast"]),
    ("--a {1,2,3} --stall <x,y>", ["--a 1 --stall x", "--a 2 --stall y", "--a 3 --stall x"]),
    ("--a {$few} $most", ["--a 1 --b 3", "--a 1 --b 4", "--a 2 --b 3", "--a 2 --b 4"]),
]:
    said = cards.expanded(short, {"few": "1,2", "most": "--b {3,4}"})
    expect(f"what '{short}' stands for", said == runs, said)

with tempfile.TemporaryDirectory() as folder:
    tree = Tree(folder)
    code, said = tree.check()
    expect("the cards as they are pass", (code, said) == (0, "cards: ok\n"), said)
    code, said = tree.run("get", "lint")
    expect("a key of all cards", code == 0 and "\nonebit quant Rows=8 Rows=262144\n" in said and "parser" not in said, said)
    code, said = tree.run("devices", "mx")
    expect("the devices of a group", (code, said) == (0, "mx\n"), said)
    code, said = tree.run("coverage", "nic", "turns")
    expect("the runs of a group", code == 0 and said.count("\n") == 15 and "nic_rx --synth wire --stall both:60 --packets 20000 --seed 3\n" in said, said)
    code, said = tree.run("coverage", "none", "turns")
    expect("a group that no card has", code == 2, said)
    code, said = tree.run("get", "colour")
    expect("a key that no card has", code == 2 and "get KEY" in said, said)

for key in cards.KEYS:
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        card = tree.root / "testbenches/codec/codec_loop.card.toml"
        without = re.sub(rf"^(\[{key}\]\n(?:[^\[].*\n|  .*\n|\]\n)*|{key} *=.*\n)", "", card.read_text(), flags=re.MULTILINE)
        card.write_text(without)
        code, said = tree.check()
        expect(f"a card without {key}", code == 1 and f"codec_loop.card.toml: the key '{key}' is missing (" in said, said)
refused("an unknown key", lambda tree: tree.replace("^formal", "colour = 1\nformal"),
        rf"^cards: {ONEBIT}:3: a card has no key 'colour'; it has status, formal, ")
refused("an unknown key of an entry", lambda tree: tree.replace("^slow = true", "slow = true\nfast = true"),
        rf"^cards: {ONEBIT}:\d+: 'netlist' has no key 'fast'; it has options, name, ")
refused("an entry without its options", lambda tree: tree.replace("^options = .*", ""),
        rf"^cards: {ONEBIT}:\d+: an entry of 'netlist' has no 'options'")
refused("a word that nobody has", lambda tree: tree.replace(r"\$captures", "$capture"),
        rf"^cards: {ONEBIT}:\d+: 'runs' has the word \$capture, which family.toml")
refused("a key of another type", lambda tree: tree.replace("^lint = .*", "lint = 8"),
        rf"^cards: {ONEBIT}:\d+: 'lint' must be a list of strings: PARAMETER=VALUE")
refused("what is no TOML", lambda tree: tree.replace("^formal = ", "formal "), rf"^cards: {ONEBIT}:3: .*at line 3")
refused("a card of no device", lambda tree: shutil.copy(tree.root / ONEBIT, tree.root / "testbenches/quant/twobit.card.toml"),
        r"^testbenches/quant/twobit.card.toml: there is no device 'twobit' \(gradwire list")
refused("a device without a card", lambda tree: (tree.root / ONEBIT).unlink(), rf"^{ONEBIT}: the device 'onebit' has no card")
for wrong in ["gw_onebit.sv s/no such line//", "gw_onebyte.sv s/a/b/"]:
    refused(f"a wrong line that changes nothing: {wrong}", lambda tree: tree.replace("^wrong = .*", f'wrong = "{wrong}"'),
            rf"^{ONEBIT}:5: 'wrong' changes nothing in rtl: {wrong}")
refused("a wrong line for registers that changes nothing",
        lambda tree: tree.replace(r"^wrong = .*\nparameters", 'wrong = "gw_parser_registers.sv s/no such//"\nparameters', PARSER),
        rf"^{PARSER}:10: 'wrong' changes nothing in rtl: gw_parser_registers.sv s/no such//")
NIC, ELSEWHERE = "testbenches/nic/nic.card.toml", "testbenches/switch/nic.card.toml"
refused("a card in another family", lambda tree: (tree.root / NIC).rename(tree.root / ELSEWHERE),
        rf"^{ELSEWHERE}: 'nic' is of the family nic")
refused("two cards of a device", lambda tree: shutil.copy(tree.root / NIC, tree.root / ELSEWHERE),
        rf"^cards: {ELSEWHERE}: nic has a card in {NIC}, too")

# README.md's table.
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import check  # noqa: E402

readme = (ROOT / "README.md").read_text()
for what, text, sentence in [
    ("a device without its row", re.sub(r"^\| \[onebit\].*\n", "", readme, flags=re.MULTILINE), "lacks this row, as onebit's card says it: | [onebit]"),
    ("a row that says something else", readme.replace("quantiser to signs", "quantiser of signs"), "no card of a device says this row: | [onebit]"),
    ("a row of no device", readme.replace("| FIFO", "| `twobit`: two | yes |\n| FIFO", 1), "no card of a device says this row: | `twobit`"),
]:
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        shutil.copytree(ROOT / "docs/devices", tree.root / "docs/devices")
        (tree.root / "README.md").write_text(text)
        check.ROOT = tree.root
        said = "\n".join(check.status())
        expect(what, sentence in said, said)

print(f"cards test: {len(failed)} failed")
sys.exit(1 if failed else 0)
