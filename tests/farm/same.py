#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two results of one plan are the same but for times and hosts: tests/farm/same.py A/regress.json B/regress.json"""

import json
import sys

# Where and when it ran: sections of the document, keys of a case. All else must be equal.
SECTIONS = ("where", "times", "slowest")
OF_A_CASE = ("seconds", "build_seconds", "host", "began", "cycles_per_s")


def lasting(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for key in SECTIONS:
        del document[key]
    for case in document["cases"]:
        for key in OF_A_CASE:
            case.pop(key, None)
    return document


def differences(a, b, place=""):
    """Each as "place: a, not b"."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            missing = [name for name, of in (("first", a), ("second", b)) if key not in of]
            if missing:
                yield f"{place}/{key}: not in the {missing[0]}"
            else:
                yield from differences(a[key], b[key], f"{place}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{place}/{i}")
    elif a != b or type(a) is not type(b):
        yield f"{place}: {json.dumps(a)}, not {json.dumps(b)}"


def main():
    first, second = (lasting(path) for path in sys.argv[1:3])
    found = list(differences(first, second))
    for line in found[:20]:
        print(f"same: {line}", file=sys.stderr)
    if not first["cases"]:
        sys.exit("same: there are no cases")
    sys.exit(1 if found else 0)


main()
