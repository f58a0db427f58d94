#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documentation: check.py [GRADWIRE]

* Every relative link leads to a file, and to a heading of it where it names one.
* Each device has the row in README.md's table that its card says, and no row is without a card.
* Areas of processing elements are those of baselines/areas.json.
* With GRADWIRE (the program): every option of a `gradwire ...` line in a code block is one of that command, or of a device.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import cards  # noqa: E402
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|(?:^(?:    |\t)[^\n]*\n)+", re.DOTALL | re.MULTILINE)


def pages():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).exists()]


def anchors(text):
    """Headings as GitHub and mkdocs name them."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", CODE.sub("", text), re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        number = 0
        while (name if number == 0 else f"{name}-{number}") in found:
            number += 1
        found.add(name if number == 0 else f"{name}-{number}")
    return found


def links():
    wrong = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", CODE.sub("", text))):
            target = match.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                wrong.append(f"{page.relative_to(ROOT)}: {target} leads nowhere")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                wrong.append(f"{page.relative_to(ROOT)}: {target}: there is no such heading")
    return wrong


def status_row(name, card):
    """A device's row in README.md: block, RTL, SystemC, reference, formal, Icarus. Each device has three opinions."""
    page = f"docs/devices/{name}.md"
    block = f"[{name}]({page})" if (ROOT / page).exists() else f"`{name}`"
    return f"| {block}: {card['status']} | yes | yes | yes | {card['formal'] or '-'} | {'yes' if card['wrong'] else '-'} |"


def status():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    rows = {name: status_row(name, card) for name, card in cards.read(ROOT).items()}
    wrong = [f"README.md: the table of devices lacks this row, as {name}'s card says it: {row}" for name, row in rows.items()
             if row not in lines]
    return wrong + [f"README.md: no card of a device says this row: {line}" for line in lines
                    if re.match(r"\| (\[\w+\]\(docs/devices/|`\w+`: )", line) and line not in rows.values()]


def areas():
    """Pages show the areas that come with the program: `gradwire sweep optimizer` prints both kinds of line."""
    known = json.loads((ROOT / "baselines/areas.json").read_text(encoding="utf-8"))["pes"]
    array = re.compile(r"^ +(\w+) +(pipelined|iterative) (paper|fast) +\S+: +(\d+) PEs .*, (\d+) LUT,", re.MULTILINE)
    one = re.compile(r"^ +(\w+) +(pipelined|iterative)_(paper|fast) +(\d+) / +(\d+) / +(\d+) +([\d.]+) ns", re.MULTILINE)
    wrong = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        lines = [(m, [str(int(m[4]) * known["-".join(("pe", *m.groups()[:3]))]["lut"])], [m[5]]) for m in array.finditer(text)]
        for m in one.finditer(text):
            pe = known["-".join(("pe", *m.groups()[:3]))]
            lines.append((m, [str(pe["lut"]), str(pe["ff"]), str(pe["dsp"]), f"{pe['longest_path_ns']:.2f}"], list(m.groups()[3:])))
        wrong += [f"{page.relative_to(ROOT)}: '{m[0].strip()}' is {' / '.join(right)} in baselines/areas.json" for m, right, says in lines
                  if right != says]
    return wrong


def options(program):
    """The long options of each command, from the manual page; those of devices belong to all that take one."""
    manual = subprocess.run([program, "manual"], check=True, capture_output=True, text=True).stdout.replace("\\-", "-")
    commands, devices, section, of_devices = {}, set(), None, False
    for line in manual.splitlines():
        if line.startswith(".SH"):
            of_devices = line == ".SH DEVICES"
        elif line.startswith(".SS gradwire "):
            section = tuple(line.split()[2:])
            commands[section] = set()
        elif line.startswith(".B "):
            names = re.findall(r"--[a-z][a-z0-9-]*", line)
            (devices if of_devices else commands.get(section, set())).update(names)
    return commands, devices


def lines_of(text):
    for block in CODE.findall(text):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            yield line.strip()


def commands_are_right(program):
    commands, devices = options(program)
    wrong, seen = [], 0
    takes_device = {"run", "bench", "sweep", "live", "list", "mutate", "regress", "replay"}
    for page in pages():
        for line in lines_of(page.read_text(encoding="utf-8")):
            line = re.split(r"\s{2,}|\s#\s", re.sub(r"^(\$|sudo) ", "", line))[0]
            for one in re.split(r"&&|;|\|", line):
                words = one.replace("build/gradwire", "gradwire").split()
                if len(words) < 2 or words[0] != "gradwire" or (words[1],) not in commands:
                    continue
                known = {"--help", "--version", "--config"}
                for command, names in commands.items():
                    if command[0] == words[1]:
                        known |= names
                if words[1] == "replay":  # takes what run takes
                    known |= commands[("run",)] | {"--quiet"}
                if words[1] in takes_device:
                    known |= devices
                seen += 1
                for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", one):
                    if option not in known:
                        wrong.append(f"{page.relative_to(ROOT)}: gradwire {words[1]} has no {option}")
    if seen == 0:
        wrong.append("no command was found in the documentation")
    return wrong


def main():
    wrong = links() + status() + areas()
    if len(sys.argv) > 1:
        wrong += commands_are_right(sys.argv[1])
    for sentence in sorted(set(wrong)):
        print(sentence)
    print(f"documentation: {len(set(wrong))} wrong" if wrong else "documentation: ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
