#!/usr/bin/env bash
# What coverage costs: each device's own stimulus in lockstep, plain and counted in turn, the best of PASSES of each; how many
# times longer the counted runs take. coverage-cost.sh [KINDS [DEVICE...]]
# At most LIMIT times (2, which is what the functional tables may cost): else exit code 1.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
kinds=${1:-functional}
shift || true
[ $# -gt 0 ] || set -- compressor decompressor nic_tx nic_rx aggregator switch
gradwire=$PWD/build/gradwire
passes=${PASSES:-5} limit=${LIMIT:-2}
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# seconds DEVICE ARGUMENT...: wall time of the simulation itself.
seconds() {
  "$gradwire" run "$@" --quiet --json "$report" > /dev/null
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sim"]["wall_s"])' "$report"
}

failed=0
printf '%-14s %10s %10s %8s\n' device plain counted times
for device in "$@"; do
  case $device in
    nic_rx) stimulus="--synth wire --packets 40000" ;;
    nic*) stimulus="--synth hosts --packets 40000" ;;
    parser | aggregator | optimizer | switch) stimulus="--synth irregular --packets 40000" ;;
    *) stimulus="--synth mixed --packets 100000" ;;
  esac
  plain=() counted=()
  for ((pass = 0; pass < passes; ++pass)); do
    # shellcheck disable=SC2086  # words of their own
    plain+=("$(seconds "$device" $stimulus)") counted+=("$(seconds "$device" $stimulus --coverage "$kinds")")
  done
  python3 - "$device" "$limit" "$passes" "${plain[@]}" "${counted[@]}" <<'PYTHON' || failed=1
import sys
device, limit, passes = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
times = [float(word) for word in sys.argv[4:]]
plain, counted = min(times[:passes]), min(times[passes:])
print(f"{device:<14} {plain:8.3f} s {counted:8.3f} s {counted / plain:8.2f}")
sys.exit(counted / plain > limit)
PYTHON
done
[ $failed = 0 ] || echo "coverage-cost: more than $limit times the run's time"
exit $failed
