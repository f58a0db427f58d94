#!/usr/bin/env bash
# The simulator's speed on Debian 12 and 13, on this machine: tools/bench-releases.sh FOLDER12 FOLDER13 [ROUNDS]
# The folders are systems that `tools/try-debian.sh --folder FOLDER --keep` left, with their builds. They run `gradwire bench`
# in turn, before other work of the machine, ROUNDS times each (default 5); printed are medians, and 13's share of 12's.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
(($# >= 2)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
rounds=${3:-5}
for ((round = 1; round <= rounds; ++round)); do
  for release in 12 13; do
    folder=$1
    ((release == 13)) && folder=$2
    echo "bench-releases: round $round of $rounds, Debian $release" >&2
    tools/try-debian.sh $release --folder "$folder" --keep -- \
      nice -n -15 build/gradwire bench --quiet --json "out/bench-$round.json" > out/bench-releases.log || {
      tail -n 20 out/bench-releases.log >&2
      exit 1
    }
  done
done
python3 - "$1" "$2" "$rounds" << 'EOP'
import datetime, json, statistics, sys

runs = {}
for release, folder in (("12", sys.argv[1]), ("13", sys.argv[2])):
    for n in range(1, int(sys.argv[3]) + 1):
        with open(f"{folder}/srv/gradwire/out/bench-{n}.json", encoding="utf-8") as file:
            for row in json.load(file):
                runs.setdefault(row["device"], {}).setdefault(release, []).append(row)

def median(rows, get):
    return statistics.median(get(row) for row in rows)

columns = (("lockstep / RTL", lambda r: r["ratios"]["lockstep_to_rtl"]),
           ("model / RTL", lambda r: r["ratios"]["model_to_rtl"]),
           ("lockstep", lambda r: r["lockstep_mcps"]),
           ("RTL", lambda r: r["rtl_mcps"]),
           ("model", lambda r: r["model_mcps"]))
print(f"{datetime.date.today()}, medians of {sys.argv[3]} runs each, in turn; M cycles/s and their ratios")
print(f"{'':12}" + "".join(f"{name:>24}" for name, _ in columns))
print(f"{'':12}" + f"{'12':>8}{'13':>8}{'13/12':>8}" * len(columns))
for device, by in runs.items():
    line = f"{device:12}"
    for _, get in columns:
        a, b = median(by["12"], get), median(by["13"], get)
        line += f"{a:8.2f}{b:8.2f}{b / a:8.2f}"
    print(line)
EOP
