#!/usr/bin/env bash
# What `gradwire regress` costs beside the same runs by hand, one command after the other: overhead.sh [PROGRAM] [PLAN].
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-build/gradwire}
plan=${2:-plans/smoke.toml}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" regress "$plan" --dry-run | sed 's/  # .*//; s/$/ --quiet --json \/dev\/null/' > "$folder/commands"
now() { date +%s.%N; }
begin=$(now)
bash -e "$folder/commands"
by_hand=$(now)
"$program" regress "$plan" --jobs 1 --out "$folder/one" --quiet || true
end=$(now)
awk -v n="$(wc -l < "$folder/commands")" -v a="$begin" -v b="$by_hand" -v c="$end" 'BEGIN {
  printf "%d cases: %.1f s by hand, %.1f s by one worker of gradwire regress (%+.0f %%)\n", n, b - a, c - b, ((c - b) / (b - a) - 1) * 100 }'
