#!/usr/bin/env bash
# Real programs talk through simulated NICs: tests/live/live_test.sh GRADWIRE FLOATS [CHECK ...]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gradwire=$1 floats=$2
shift 2

skip() {
  echo "skipped: $*"
  exit 77
}
[[ -e /dev/net/tun ]] || skip "this machine has no TAP devices"
unshare -Urnm true 2> /dev/null || skip "this machine gives no user namespaces"
command -v ip > /dev/null || skip "iproute2 is not installed"
unshare -Urnm ip link add type bridge 2> /dev/null || skip "this kernel has no bridge"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# check NAME COMMAND...
check() {
  local name=$1
  shift
  if "$@" > "$work/$name.log" 2>&1; then
    echo "ok   $name: $(grep -h -E '^floats:|packet loss|^copied' "$work/$name.log" | tail -n 1)"
  else
    echo "FAIL $name"
    tail -n 30 "$work/$name.log"
    failed=1
  fi
}
live() { "$root/tools/live/live.sh" --program "$gradwire" "$@"; }
# stream MTU WRITES LIVE-OPTIONS: floats over TCP, both ends on
stream() {
  live --mtu "$1" --live "--bound 10 $3" --serve "'$floats' receive --bound 10 --count 200001 > '$work/received' 2>&1; echo \$? > '$work/code'" \
    -- "$floats" send --to 10.77.0.2 --count 200001 --writes "$2"
  cat "$work/received"
  [[ $(cat "$work/code") == 0 ]]
}
datagrams() {
  live --live "--bound 8" --serve "'$floats' receive --udp --bound 8 > '$work/received' 2>&1; echo \$? > '$work/code'" \
    -- bash -c "sleep 0.5; '$floats' send --udp --to 10.77.0.2 --count 100000; sleep 1"
  cat "$work/received"
  [[ $(cat "$work/code") == 0 ]]
}
pings() {
  # shellcheck disable=SC2016 # for the inner shell
  live -- bash -ec 'for size in 0 1 17 18 56 1472; do ping -q -c 2 -i 0.2 -s $size 10.77.0.2; done; ping -q -f -c 200 10.77.0.2'
}
copy() {
  head -c 1000003 /dev/urandom > "$work/file"
  live --serve "cd '$work' && python3 -m http.server 8000 > /dev/null 2>&1" -- python3 -c "
import hashlib, time, urllib.request
for _ in range(50):
    try:
        data = urllib.request.urlopen('http://10.77.0.2:8000/file').read()
        break
    except OSError:
        time.sleep(0.1)
assert hashlib.sha256(data).digest() == hashlib.sha256(open('$work/file', 'rb').read()).digest()
print('copied', len(data), 'bytes')"
}
bandwidth() {
  live --serve 'iperf3 -s > /dev/null' -- bash -ec 'sleep 0.5; iperf3 -c 10.77.0.2 -t 2 --tos 0x28; iperf3 -c 10.77.0.2 -t 1; iperf3 -u -b 20M -l 1400 -c 10.77.0.2 -t 1 --tos 0x28'
}
refused() {
  local code=0
  "$gradwire" live --host a --wire a > "$work/out" 2>&1 || code=$?
  [[ $code == 2 ]]
  grep -q 'same interface' "$work/out"
  unshare -Ur --map-root-user "$gradwire" live --host 'a b' --wire c > "$work/out" 2>&1 && return 1
  grep -q "'a b' is no name of an interface" "$work/out"
  # Without rights.
  if ((EUID == 0)); then
    setpriv --reuid 65534 --clear-groups --inh-caps=-all "$gradwire" live --host gwa --wire gwb > "$work/out" 2>&1 && return 1
  else
    "$gradwire" live --host gwa --wire gwb > "$work/out" 2>&1 && return 1
  fi
  cat "$work/out"
  grep -q -E 'CAP_NET_ADMIN|cannot be used here' "$work/out"
  [[ $(wc -l < "$work/out") == 1 ]]
}
vanishing() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare -Urn --pid --fork --kill-child --mount-proc bash -c '
    ip tuntap add dev gwh mode tap
    "$0" live --host gwh --wire gww --engine none > /dev/null 2> "$1/vanished" & nic=$!
    sleep 1; ip link set gwh up; ip link del gwh; wait $nic; code=$?
    cat "$1/vanished"; grep -q "has vanished" "$1/vanished" && [[ $code == 3 ]]' "$gradwire" "$work"
}

all=(refused vanishing pings copy bytes odd small jumbo bad datagrams)
if command -v iperf3 > /dev/null; then all+=(bandwidth); else echo "without iperf3: not installed"; fi
for name in "${@:-${all[@]}}"; do
  case $name in
    bytes) check "$name" stream 1500 1,3,70000,17,1461 "" ;;
    odd) check "$name" stream 1499 65536 "" ;;
    small) check "$name" stream 576 4096,6 "" ;;
    jumbo) check "$name" stream 9000 100000,7 "" ;;
    bad) check "$name" stream 1500 1,65536 "--loss 2 --duplicate 2 --reorder 5" ;;
    *) check "$name" "$name" ;;
  esac
done
exit $failed
