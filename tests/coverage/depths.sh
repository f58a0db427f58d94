#!/usr/bin/env bash
# How full each queue of a device's RTL gets behind a slow sink: depths.sh GRADWIRE DEVICE [TOP's PARAMETERS] -- RUN...
# RUN is the options of a run, as one word. Prints `QUEUE full|one less|more than half|half` a line, by what all runs reached.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
gradwire=$(realpath "$1") device=$2
shift 2
parameters=()
while [[ $1 != -- ]]; do
  parameters+=("$1")
  shift
done
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$(echo rtl/*/"gw_$device.f")
{
  for cell in fifo fifo_2w fifo_head nic_tx_queue packet_queue optimization; do
    if grep -q "/gw_$cell.sv" "$list"; then echo "+define+GW_BIND_${cell^^}"; fi
  done
  printf '%s\n' +incdir+rtl/common ${parameters[@]+"${parameters[@]}"}
  grep -v incdir "$list"
  echo "$PWD/tests/coverage/gw_full_cover.sv"
} > "$work/list.f"
number=0
for run; do
  # shellcheck disable=SC2086 # several options
  "$gradwire" run "$device" --rtl "$work/list.f" --top "gw_$device" --engine rtl --check reference --quick-build --quiet \
    --coverage user --coverage-out "$work/$((++number)).json" $run
done
python3 - "$work"/*.json <<'PY'
import json, sys
reached = {}
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        points = json.load(file)["rtl"]
    for _, _, scope, place, _, _, cover, times in points:
        if place.endswith("gw_full_cover.sv"):
            reached.setdefault(scope.split(".", 2)[2].rsplit(".u_full", 1)[0], {}).setdefault(cover, 0)
            reached[scope.split(".", 2)[2].rsplit(".u_full", 1)[0]][cover] += times
for queue, covers in sorted(reached.items()):
    print(queue, next((words for cover, words in (("Full", "full"), ("OneLess", "one less"), ("MoreThanHalf", "more than half"))
                       if covers[cover]), "half"))
PY
