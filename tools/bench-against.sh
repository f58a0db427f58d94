#!/usr/bin/env bash
# The simulator's speed beside that of an earlier commit: tools/bench-against.sh REV [--rounds N] [DEVICE ...]
# Builds REV in out/bench-against/, and runs `gradwire bench` of both in turn, in the order new, old, old, new, ...; printed are medians of the
# ratios of each pair, new to old: 1.05 is 5 % faster. The new one is that of build/ (BUILD). Other work on the machine disturbs it; a machine
# that is at times half as fast, whoever works on it, more than the medians bear: the ratio of the fastest runs of either stands beside them.
# Each round runs copies of its own: the same file is up to a third slower or faster by where its pages happen to lie in memory, as long as they do.
# Commits before 2026-11-28 count the median round of a benchmark and not the fastest: beside them today's speeds look better than they are on a
# machine with other work, by up to as much as it swings. lockstep_to_rtl is a ratio within either program, and suffers less.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,8s/^# //p' "$0" >&2; }
die() {
  echo "bench-against: $*" >&2
  exit 2
}
(($# >= 1)) || {
  usage
  exit 2
}
rev=$(git rev-parse --verify --quiet "$1^{commit}") || die "'$1' is no commit of this repository"
shift
rounds=5
devices=()
while (($# > 0)); do
  case $1 in
    --rounds)
      [[ ${2:-} =~ ^[1-9][0-9]?$ ]] || die "--rounds is a number from 1 to 99"
      rounds=$2
      shift
      ;;
    -*) die "'$1' is no option" ;;
    *) devices+=("$1") ;;
  esac
  shift
done
new=$PWD/${BUILD:-build}/gradwire
[[ -x $new ]] || die "$new is not there: tools/build.sh"
folder=$PWD/out/bench-against/${rev:0:12}
old=$folder/build/gradwire
if [[ ! -x $old ]]; then
  echo "bench-against: building ${rev:0:12} (its words: $folder/build.log)" >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  git archive --prefix=tree/ "$rev" | tar -x -C "$folder"
  {
    cmake -S "$folder/tree" -B "$folder/build" -G Ninja && cmake --build "$folder/build" --target gradwire
  } > "$folder/build.log" 2>&1 || {
    tail -n 20 "$folder/build.log" >&2
    die "${rev:0:12} does not build"
  }
fi
if ((${#devices[@]} == 0)); then
  mapfile -t devices < <("$old" list | sed -n 's/^device  *\([a-z_]*\).*/\1/p')
fi
((${#devices[@]} > 0)) || die "which devices ${rev:0:12} has, it does not say: name them"
# measure PROGRAM DEVICE JSON
measure() { "$1.$round" bench "$2" --quiet --seconds 1 --json "$3" > "$folder/bench.log" 2>&1 || die "$1 bench $2: $(tail -n 1 "$folder/bench.log")"; }
trap 'rm -f "$new".[0-9]* "$old".[0-9]*' EXIT  # not before: what is freed is what the next copy gets
rm -f "$folder"/bench-*.json
for ((round = 1; round <= rounds; ++round)); do
  cp "$new" "$new.$round"
  cp "$old" "$old.$round"
  for device in "${devices[@]}"; do
    echo "bench-against: round $round of $rounds, $device" >&2
    # Neither is always the first.
    if ((round % 2)); then order=(new old); else order=(old new); fi
    for which in "${order[@]}"; do measure "${!which}" "$device" "$folder/bench-$which-$device-$round.json"; done
  done
done
python3 - "$folder" "$rounds" "${devices[@]}" << 'EOP'
import json, statistics, sys

folder, rounds, devices = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

def row(which, device, n):
    with open(f"{folder}/bench-{which}-{device}-{n}.json", encoding="utf-8") as file:
        rows = json.load(file)
    return rows if isinstance(rows, dict) else next(r for r in rows if r["device"] == device)

columns = ("rtl_mcps", "model_mcps", "lockstep_mcps", "lockstep_to_rtl")
def value(r, column):
    return r["ratios"][column] if column in r.get("ratios", {}) else r.get(column)

def fastest(device, which, column):
    """Of all rounds; of lockstep_to_rtl that of the fastest lockstep to the fastest RTL."""
    if column == "lockstep_to_rtl":
        return fastest(device, which, "lockstep_mcps") / fastest(device, which, "rtl_mcps")
    return max(value(pair[which], column) or 0 for pair in pairs[device])

pairs = {d: [(row("new", d, n), row("old", d, n)) for n in range(1, rounds + 1)] for d in devices}
print(f"new to old, medians of {rounds} pairs (least .. most), best to best")
print("device".ljust(14) + "".join(c.removesuffix("_mcps").rjust(26) for c in columns))
for device in devices:
    line = device.ljust(14)
    for column in columns:
        both = [(value(a, column), value(b, column)) for a, b in pairs[device] if value(a, column) and value(b, column)]
        ratios = [a / b for a, b in both]
        if ratios:
            best = fastest(device, 0, column) / fastest(device, 1, column)
            line += f"{statistics.median(ratios):.2f} ({min(ratios):.2f} .. {max(ratios):.2f}) {best:.2f}".rjust(26)
        else:
            line += "-".rjust(26)
    print(line)
EOP
