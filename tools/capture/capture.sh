#!/bin/bash
# Trains the HDC network with four workers in four network namespaces and captures their gradient
# exchange: hdc-ring-{early,middle,late}.pcap, mixed.pcap and manifest.json.
# Needs root, iproute2, ethtool and ping.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: capture.sh [options] [-- options of gradwire-capture worker]
  --data DIR        folder of the MNIST files (idx, gz); without it digits are drawn
  --iterations N    default: as many epochs as in Table I (8,000 digits: 1333)
  --output DIR      default traces/ of this repository
  --program FILE    default build/tools/capture/gradwire-capture
USAGE
}

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
data= iterations=0 output=$root/traces program=$root/build/tools/capture/gradwire-capture
while [ $# -gt 0 ]; do
  case $1 in
    --data) data=$2; shift 2 ;;
    --iterations) iterations=$2; shift 2 ;;
    --output) output=$2; shift 2 ;;
    --program) program=$2; shift 2 ;;
    --) shift; break ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

fail() { echo "capture.sh: $*" >&2; exit 2; }
[ "$(id -u)" = 0 ] || fail "needs root, for network namespaces."
[ -x "$program" ] || fail "$program is not there: build it, or name it with --program."
for tool in ip ethtool ping sha256sum; do
  command -v "$tool" >/dev/null || fail "$tool is not installed."
done
mkdir -p "$output"

# ---- Namespaces: one a worker, one for the bridge. Whatever happens, they are removed.
workers=4 name=gwcap$$ net=10.77.0
addresses=$net.1,$net.2,$net.3,$net.4
work=$(mktemp -d)
pids=()
cleanup() {
  trap - EXIT INT TERM
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for i in $(seq 0 $((workers - 1))) sw; do ip netns del "$name-$i" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

plain() {  # interface of a namespace: what is captured is what a wire would carry
  ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx off rx off sg off >/dev/null
}
ip netns add "$name-sw"
ip netns exec "$name-sw" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
  net.ipv6.conf.default.disable_ipv6=1 2>/dev/null || true
ip -n "$name-sw" link add bridge type bridge
ip -n "$name-sw" link set bridge up
for i in $(seq 0 $((workers - 1))); do
  ip netns add "$name-$i"
  ip -n "$name-$i" link add eth0 address "02:00:00:00:00:0$((i + 1))" mtu 1500 type veth \
    peer name "port$i" netns "$name-sw"
  plain "$name-$i" eth0
  plain "$name-sw" "port$i"
  ip -n "$name-sw" link set "port$i" mtu 1500 master bridge up
  ip netns exec "$name-$i" sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1 2>/dev/null || true
  ip -n "$name-$i" address add "$net.$((i + 1))/24" dev eth0
  ip -n "$name-$i" link set lo up
  ip -n "$name-$i" link set eth0 up
done

# ---- The run
arguments=(--addresses "$addresses" --iterations "$iterations" --output "$work"
  --copy "$here/worker.cc")
[ -z "$data" ] || arguments+=(--data "$data")
for i in $(seq 0 $((workers - 1))); do
  ip netns exec "$name-$i" "$program" worker --rank "$i" "${arguments[@]}" "$@" &
  pids+=($!)
done
for _ in "${pids[@]}"; do
  wait -n || { echo "capture.sh: a worker failed; nothing was written." >&2; exit 4; }
done
pids=()

command="tools/capture/capture.sh${data:+ --data MNIST_FOLDER}"
[ "$iterations" = 0 ] || command+=" --iterations $iterations"
[ $# = 0 ] || command+=" -- $*"
(cd "$work" && sha256sum -- *.pcap) > "$work/sums"
"$program" manifest "$work" --sums "$work/sums" --command "$command"
cp "$work"/*.pcap "$work/manifest.json" "$output/"
echo "captures are in $output"
