#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the cards of the devices: testbenches/FAMILY/DEVICE.card.toml says what lists of devices need to know of one.

    cards.py check [GRADWIRE]   every card has every key and no other, and its wrong lines fit the RTL; with the program: each device
                                has a card, each card a device
    cards.py cmake              the cards as variables of CMake: GW_DEVICES, GW_FAMILIES, GW_CARD_<device>_<key>
    cards.py get KEY            a line for each device whose card does not leave KEY empty: its name, its family, the value
    cards.py groups             the groups of devices whose coverage is counted together
    cards.py devices GROUP      the devices of one
    cards.py coverage GROUP whole|turns
                                their runs, one a line: DEVICE OPTION...

A key that is new goes into KEYS below and into every card.

Runs are short for many: {A,B} and {1..8} stand for each of their words, the last changing first; <A,B> for one of them in turn; $NAME
for a word of testbenches/FAMILY/family.toml, which the family's cards share.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a card must have: type, and what it means. What is empty ("", [], {}) the device does not have.
KEYS = {
    "status": (str, "what it is, for the table of README.md"),
    "formal": (str, "what of it is proved, or checked by assertions, for the same table"),
    "small": (str, "options of a short run with small RTL"),
    "wrong": (str, "FILE SED: makes a line of RTL wrong, which that run in Icarus must show; empty: the device has no RTL of its own"),
    "lint": ([str], "PARAMETER=VALUE: further configurations for tools/lint/lint.sh"),
    "registers": (dict, "its RTL behind AXI4-Lite in Icarus"),
    "golden": (dict, "runs whose figures tests/golden holds: each with each of the options"),
    "coverage": (dict, "runs of tools/coverage.sh"),
    "netlist": ([dict], "runs with a netlist in the RTL's place, a test each"),
    "vectors": ([str], "TOP[:PARAMETER=VALUE]: tops whose netlists random vectors hold against their RTL"),
}
# What an entry of a table, or of a list of tables, must have, and what it may have.
PARTS = {
    "registers": ({"wrong": str, "parameters": [str]}, {}),
    "golden": ({"options": [str], "runs": [str]}, {}),
    # Points are merged, and held against the goals, by group. `whole`: where tables of the streams need products of stimuli and
    # stalls; `turns`: where each stimulus needs one of the stalls; `runs`: for both.
    "coverage": ({"group": str, "runs": [str], "whole": [str], "turns": [str]}, {}),
    "netlist": ({"options": str}, {"name": str, "cells": str, "slow": bool, "wrong": str}),
}


class CardError(Exception):
    """What is wrong with a card, with its file and line."""


class Card(dict):
    def __init__(self, path, family, values, shared):
        super().__init__(values)
        self.path, self.family, self.shared = path, family, shared

    def golden(self):
        """Options of the runs whose figures are held, in one order."""
        return [f"{run} {options}".rstrip() for options in self["golden"]["options"]
                for short in self["golden"]["runs"] for run in expanded(short, self.shared)]

    def coverage(self, product):
        """Options of the runs that coverage is counted in; product: whole or turns."""
        return [run for short in self["coverage"]["runs"] + self["coverage"][product] for run in expanded(short, self.shared)]


def expanded(short, shared):
    """The runs that a short one stands for. KeyError: a word that is not shared."""
    text = re.sub(r"\$(\w+)", lambda match: shared[match[1]], short)
    parts = re.split(r"([{<][^{}<>]*[}>])", text)
    turns = {}

    def words(part):
        if not part.startswith("{"):
            return [part]
        span = re.fullmatch(r"{(\d+)\.\.(\d+)}", part)
        return [str(i) for i in range(int(span[1]), int(span[2]) + 1)] if span else part[1:-1].split(",")

    def turn(i, part):
        if not part.startswith("<"):
            return part
        turns[i] = turns.get(i, -1) + 1
        choices = part[1:-1].split(",")
        return choices[turns[i] % len(choices)]

    return ["".join(turn(i, part) for i, part in enumerate(choice)) for choice in itertools.product(*map(words, parts))]


def shown(path, root):
    return path.relative_to(root).as_posix()


def line_of(text, key):
    """Where a key is first written; 1 if nowhere."""
    match = re.search(rf"(^|[{{,])[ \t]*{re.escape(key)}[ \t]*=|^\[+{re.escape(key)}\]", text, re.MULTILINE)
    return 1 if match is None else text.count("\n", 0, match.start()) + 1


def fits(value, kind):
    if isinstance(kind, list):
        return isinstance(value, list) and all(fits(one, kind[0]) for one in value)
    return type(value) is kind


def words(kind):
    names = {str: "a string", bool: "true or false", dict: "a table"}
    return f"a list of {names[kind[0]].split(' ', 1)[1]}s" if isinstance(kind, list) else names[kind]


def parse(text, name, shared):
    """The values of a card's text; CardError in words if it is none."""
    def fail(key, sentence):
        raise CardError(f"{name}:{line_of(text, key)}: {sentence}")

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+)", str(error))
        raise CardError(f"{name}:{line[1] if line else text.count(chr(10))}: {error}") from None
    for key, value in values.items():
        if key not in KEYS:
            fail(key, f"a card has no key '{key}'; it has {', '.join(KEYS)}")
        if not fits(value, KEYS[key][0]):
            fail(key, f"'{key}' must be {words(KEYS[key][0])}: {KEYS[key][1]}")
    for key, (_, meaning) in KEYS.items():
        if key not in values:
            raise CardError(f"{name}: the key '{key}' is missing ({meaning}); what the device does not have is left empty")
    for key, (must, may) in PARTS.items():
        entries = values[key] if isinstance(values[key], list) else [values[key]] if values[key] else []
        for entry in entries:
            for part, value in entry.items():
                kind = must.get(part) or may.get(part)
                if kind is None:
                    fail(part, f"'{key}' has no key '{part}'; it has {', '.join([*must, *may])}")
                if not fits(value, kind):
                    fail(part, f"'{part}' of '{key}' must be {words(kind)}")
            for part in must:
                if part not in entry:
                    fail(key, f"an entry of '{key}' has no '{part}'")
    for part, shorts in [*values["golden"].items(), *values["coverage"].items()]:
        for name_of_word in re.findall(r"\$(\w+)", " ".join(shorts)):
            if name_of_word not in shared:
                fail(part, f"'{part}' has the word ${name_of_word}, which family.toml beside the card does not have")
    return values


def read(root=ROOT):
    """All cards by the device's name."""
    cards = {}
    for path in sorted(root.glob("testbenches/*/*.card.toml")):
        device = path.name.removesuffix(".card.toml")
        if device in cards:
            raise CardError(f"{shown(path, root)}: {device} has a card in {shown(cards[device].path, root)}, too")
        text = path.read_text(encoding="utf-8")
        shared = path.parent / "family.toml"
        shared = tomllib.loads(shared.read_text(encoding="utf-8")) if shared.exists() else {}
        cards[device] = Card(path, path.parent.name, parse(text, shown(path, root), shared), shared)
    if not cards:
        raise CardError("there is no card (testbenches/FAMILY/DEVICE.card.toml)")
    return cards


def changes(root, wrong):
    """Whether FILE SED changes a file of the RTL."""
    name, expression = wrong.split(" ", 1)
    for path in root.glob(f"rtl/*/{name}"):
        text = path.read_bytes()
        return subprocess.run(["sed", "-e", expression], input=text, check=True, capture_output=True).stdout != text
    return False


def unfit(root, cards):
    """Sentences about wrong lines that are none: they would change nothing."""
    for card in cards.values():
        for entry in [card, card["registers"], *card["netlist"]]:
            if entry.get("wrong") and not changes(root, entry["wrong"]):
                name = entry["wrong"].split(" ", 1)[0]
                lines = card.path.read_text(encoding="utf-8").splitlines()
                line = next((i for i, text in enumerate(lines, 1) if text.startswith("wrong") and name in text), 1)
                yield f"{shown(card.path, root)}:{line}: 'wrong' changes nothing in rtl: {entry['wrong']}"


def check(root, program):
    """Sentences about cards without a device, devices without a card, and wrong lines of RTL that fit none."""
    cards = read(root)
    if program is None:
        return list(unfit(root, cards))
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout)
    devices = {device["name"]: device["family"] for device in listed["devices"]}
    wrong = [f"testbenches/{family}/{name}.card.toml: the device '{name}' has no card"
             for name, family in devices.items() if name not in cards]
    for name, card in cards.items():
        if name not in devices:
            wrong.append(f"{shown(card.path, root)}: there is no device '{name}' (gradwire list shows those there are)")
        elif card.family != devices[name]:
            wrong.append(f"{shown(card.path, root)}: '{name}' is of the family {devices[name]}")
    return wrong or list(unfit(root, cards))


def cmake(cards):
    def flat(name, value):
        if isinstance(value, bool):
            yield name, "ON" if value else "OFF"
        elif isinstance(value, dict):
            for key, one in value.items():
                yield from flat(f"{name}_{key}", one)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield name, ";".join(str(i) for i in range(len(value)))
            for i, one in enumerate(value):
                yield from flat(f"{name}_{i}", one)
        else:
            yield name, ";".join(value) if isinstance(value, list) else value

    families = dict.fromkeys(card.family for card in cards.values())
    lines = ["# Written by tools/cards.py.", f"set(GW_DEVICES {' '.join(cards)})", f"set(GW_FAMILIES {' '.join(families)})"]
    for device, card in cards.items():
        lines.append(f"set(GW_CARD_{device}_family {card.family})")
        for name, value in flat(f"GW_CARD_{device}", card):
            lines.append(f"set({name} [=[{value}]=])")
    return lines


def main(arguments):
    try:
        if arguments[:1] == ["check"] and len(arguments) <= 2:
            wrong = check(ROOT, *(arguments[1:] or [None]))
            print("\n".join(wrong) if wrong else "cards: ok")
            return 1 if wrong else 0
        if arguments == ["cmake"]:
            print("\n".join(cmake(read())))
            return 0
        if arguments[:1] == ["get"] and len(arguments) == 2 and arguments[1] in KEYS:
            for device, card in read().items():
                value = card[arguments[1]]
                if value:
                    print(device, card.family, " ".join(value) if fits(value, [str]) else value if isinstance(value, str) else json.dumps(value))
            return 0
        cards = read()
        groups = {card["coverage"]["group"]: None for card in cards.values() if card["coverage"]}
        if arguments == ["groups"]:
            print(*groups)
            return 0
        if arguments[1:2] and arguments[1] in groups:
            chosen = {device: card for device, card in cards.items() if card["coverage"] and card["coverage"]["group"] == arguments[1]}
            if arguments[0] == "devices" and len(arguments) == 2:
                print(*chosen)
                return 0
            if arguments[0] == "coverage" and len(arguments) == 3 and arguments[2] in ("whole", "turns"):
                for device, card in chosen.items():
                    for run in card.coverage(arguments[2]):
                        print(device, run)
                return 0
    except CardError as error:
        print(f"cards: {error}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
