# SPDX-License-Identifier: Apache-2.0
"""Refuses an include that points up, or from one family into another: layers.py [FOLDER]

The layers are those of ARCHITECTURE.md. A room may include itself and what stands in its row of USES; a folder that no row names is an
error, so that a new room says where it belongs. Tests may include anything but tools' main programs.
"""
import pathlib
import re
import subprocess
import sys

BASE = ["models/axis", "models/registers", "models/papers"]
REFERENCE = "models/reference"
HARNESS = ["sim/base", "sim/coverage", "sim/harness"]
FAMILY = BASE + ["models/reference/...", "models/systemc", "sim/...", "testbenches/engine", "testbenches/library", "testbenches/kit"]

# room: what it may include beside itself; "/..." names a room with all below it. The longest name that begins a path is its room.
USES = {
    "models/axis": [],
    "models/registers": [],
    "models/papers": [],
    # The codec, baselines and what all of the reference share.
    "models/reference": [],
    "models/reference/capture": [REFERENCE],
    "models/reference/expether": [],
    "models/reference/lookup": [],
    "models/reference/optimizer": [],
    "models/reference/quant": [REFERENCE],
    "models/reference/nic": [REFERENCE, "models/reference/capture"],
    "models/reference/ring": ["models/reference/optimizer"],
    "models/reference/aggregator": ["models/reference/expether", "models/reference/optimizer"],
    "models/reference/switch": [
        "models/reference/aggregator", "models/reference/expether", "models/reference/lookup", "models/reference/optimizer"],
    # A model knows no reference: it is an opinion of its own.
    "models/systemc": ["models/axis", "models/registers"],
    "sim/base": [],
    "sim/harness": ["models/axis", "sim/base"],
    "sim/coverage": ["sim/base", "sim/harness"],
    "sim/report": ["sim/base"],
    "sim/feeds": HARNESS + ["models/axis", "models/reference/capture"],
    "sim/run": HARNESS + ["models/axis", "sim/feeds", "sim/report"],
    "sim/capsule": HARNESS + ["models/axis", "models/reference/capture", "sim/feeds", "sim/report", "sim/run"],
    "sim/regress": HARNESS + ["sim/report"],
    "testbenches/engine": BASE,
    "testbenches/library": BASE + ["sim/base", "sim/harness", "testbenches/engine"],
    "testbenches/kit": BASE + ["models/systemc", "sim/...", "testbenches/engine", "testbenches/library"],
    "testbenches/fp": [],
    "testbenches/ring": FAMILY,
    # A family, that is a folder with a device's card, may use FAMILY. The NIC holds codec cores and is scored by their figures.
    "testbenches/nic": FAMILY + ["testbenches/codec"],
    "testbenches": ["sim/run", "testbenches/..."],
    "tools/training": BASE + ["models/reference/...", "sim/base", "sim/report"],
    "tools/capture": ["models/reference/...", "tools/training"],
    # Documents of devices come from tools/gradwire, which it is handed.
    "tools/paper": BASE + ["models/reference/...", "sim/base", "sim/report", "tools/capture", "tools/training"],
    "tools/gradwire": ["models/...", "sim/...", "testbenches/...", "tools/paper", "tools/training"],
}


def inside(path, room):
    return path == room or path.startswith(room + "/")


def allows(rule, target):
    return target is not None and (inside(target, rule[:-4]) if rule.endswith("/...") else target == rule)


def room_of(path):
    rooms = [room for room in USES if inside(path, room)]
    return max(rooms, key=len) if rooms else None


def main(root):
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.h", "*.cc"], cwd=root, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    found = 0
    for card in root.glob("testbenches/*/*.card.toml"):
        USES.setdefault(f"testbenches/{card.parent.name}", FAMILY)
    for name in filter(None, files):
        folder = name.split("/")[0]
        if folder not in ("models", "sim", "testbenches", "tools") or not (root / name).exists():
            continue
        room = room_of(name)
        text = (root / name).read_text(encoding="utf-8")
        for match in re.finditer(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
            what = match.group(1)
            if not (root / what).exists():
                continue  # made by the build
            line = text.count("\n", 0, match.start()) + 1
            if room is None:
                print(f"{name}:{line}: its folder is no room of tools/lint/layers.py: say there what it may include")
                found += 1
                break
            target = room_of(what)
            if target != room and not any(allows(rule, target) for rule in USES[room]):
                print(f"{name}:{line}: {room} may not include {what}")
                found += 1
    print(f"layers: {found} found" if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
