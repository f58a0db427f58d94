#!/usr/bin/env bash
# What live NICs carry on this machine: iperf3 (marked TCP, MTU 1500) and ping between two hosts, through a plain forwarder, the
# models alone, and RTL and model in lockstep, all checks on: tools/live/bench.sh [SECONDS]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-4}
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || {
  echo "bench: '$seconds' is no number of seconds" >&2
  exit 2
}
command -v iperf3 > /dev/null || {
  echo "bench: iperf3 is missing; on Debian: apt-get install iperf3" >&2
  exit 2
}
printf '%-12s %10s %22s\n' engines 'iperf3 Mb/s' 'ping ms, mean of 50'
for engines in none model rtl,model; do
  rate=$("$root/tools/live/live.sh" --live "--engine $engines" --serve 'iperf3 -s > /dev/null' -- \
    bash -c "sleep 0.5; iperf3 -c 10.77.0.2 -t $seconds --tos 0x28 -f m" | awk '/receiver/ { print $7 }')
  ping=$("$root/tools/live/live.sh" --live "--engine $engines" -- ping -c 50 -i 0.02 -q 10.77.0.2 | awk -F/ '/^rtt/ { print $5 }')
  printf '%-12s %10s %22s\n' "$engines" "$rate" "$ping"
done
