# SPDX-License-Identifier: Apache-2.0
"""Refuses SystemVerilog that is legal, and that the tools take differently: style.py FILE...

* A context-sized literal ('0 '1 'x 'z) as an argument or in a concatenation: Yosys 0.23 takes it for one bit and says
  nothing, so that the netlist differs from what was simulated. Write {64{1'b1}}.
* A name used before its declaration: some simulators refuse it. Names that a file declares more than once are not followed.
* A memory (`*memory*`) that does not say by ram_style what it is meant for: each tool would choose for itself.
* A line of more than 110 columns.
"""
import collections
import re
import sys

COMMENT = re.compile(r"`default_nettype[^\n]*|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
TOKEN = re.compile(r"(?<![\w'])'[01xXzZ](?!\w)|[`$]?[a-zA-Z_]\w*|[^\s]")
DECLARATION = re.compile(r"\b(?:wire|logic|bit|reg|int|genvar|input|output)\b([^;]*)")
MEMORY = re.compile(r"\b(?:logic|reg|bit)\b[^;=]*?\b(\w*memory\w*)\s*\[")
COLUMNS = 110
NOT_CALLS = {"if", "while", "for", "case", "casez", "repeat", "posedge", "negedge"}


def literals(text):
    """Context-sized literals inside a concatenation, or inside a call's or a port's parentheses."""
    around, before = [], ""
    for match in TOKEN.finditer(text):
        word = match.group()
        if word in "({[":
            call = word == "(" and re.match(r"[a-zA-Z_]", before) and before not in NOT_CALLS
            around.append("call" if call else word)
        elif word in ")}]" and around:
            around.pop()
        elif word[0] == "'" and len(word) == 2:
            inside = [what for what in around if what in ("call", "{")]
            if inside:
                where = "as an argument" if inside[-1] == "call" else "in a concatenation"
                yield match.start(), f"context-sized literal {word} {where}"
        before = word


def declared(text):
    """(name, where its declaration starts), once for each declaration."""
    for match in DECLARATION.finditer(text):
        plain = match.group(1)
        for brackets in (r"\[[^\[\]]*\]", r"\{[^{}]*\}", r"\([^()]*\)"):
            while re.search(brackets, plain):
                plain = re.sub(brackets, " ", plain)
        for piece in plain.split(","):
            names = re.findall(r"[a-zA-Z_]\w*", piece.split("=")[0].split(")")[0])
            if names:
                yield names[-1], match.start()


def used_early(text):
    places = collections.defaultdict(set)
    for name, at in declared(text):
        places[name].add(at)
    for name, (at, *more) in places.items():
        if not more:
            use = re.search(rf"(?<![.:\w]){name}(?!\w)|\.{name}\s*[,)]", text[:at])
            if use:
                yield use.start(), f"'{name}' is used before it is declared"


def memories(text):
    for match in MEMORY.finditer(text):
        if "ram_style" not in text[:match.start()].rsplit(";", 1)[-1]:
            yield match.start(1), f"memory '{match.group(1)}' does not say what it is meant for (ram_style)"


def long_lines(text):
    at = 0
    for line in text.split("\n"):
        if len(line) > COLUMNS:
            yield at, f"the line has {len(line)} columns, and {COLUMNS} are enough"
        at += len(line) + 1


def main(paths):
    found = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), whole)
        for at, what in sorted([*literals(text), *used_early(text), *memories(text), *long_lines(whole)]):
            print(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
