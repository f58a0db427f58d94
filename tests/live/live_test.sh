#!/usr/bin/env bash
# Real programs talk through simulated NICs: tests/live/live_test.sh GRADWIRE FLOATS [CHECK ...]
# Without a CHECK: all but divergence, for which RTL is built, and figures, which is quick. GRADWIRE_LIVE_FLOATS: how many a check of floats sends.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
count=${GRADWIRE_LIVE_FLOATS:-200001}
root=$(cd "$(dirname "$0")/../.." && pwd)
gradwire=$(realpath "$1") floats=$(realpath "$2")
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
# check NAME COMMAND...: the first command of COMMAND that fails is its end (which a condition would not let it be)
check() {
  local name=$1 code=0
  shift
  set +e
  (
    set -e
    "$@"
  ) > "$work/$name.log" 2>&1
  code=$?
  set -e
  if ((code == 0)); then
    echo "ok   $name: $(grep -h -E '^floats:|packet loss|^copied' "$work/$name.log" | tail -n 1)"
  else
    echo "FAIL $name"
    tail -n 30 "$work/$name.log"
    failed=1
  fi
}
live() { "$root/tools/live/live.sh" --program "$gradwire" "$@"; }
# stream MTU WRITES LIVE-OPTIONS: floats over TCP
stream() {
  live --mtu "$1" --live "--bound 10 $3" --logs "$work/logs" \
    --serve "'$floats' receive --bound 10 --count $count > '$work/received' 2>&1; echo \$? > '$work/code'" \
    -- "$floats" send --to 10.77.0.2 --count "$count" --writes "$2"
  cat "$work/received"
  [[ $(cat "$work/code") == 0 ]]
}
# What became of each 100,000 bytes of a stream: a frame counts where its payload begins, so none is counted twice.
windows() {
  local count=200001
  stream 1500 65536 "--window 100000"
  python3 -c "
import json, sys
tx = json.load(open(sys.argv[1]))['live']['tx']
windows = tx['windows']
assert windows['bytes'] == 100000 and windows['streams'] == 1 and len(windows['of']) in (8, 9), windows
frames, long, short = (sum(w[key] for w in windows['of']) for key in ('frames', 'bytes_long', 'bytes_short'))
assert 800004 + 66 * frames <= long <= 1.1 * 800004 + 66 * frames, (frames, long)
assert tx['packed_frames'] <= frames <= tx['frames_in'] and short < tx['bytes_out'], (frames, tx)
for w in windows['of'][:8]:
    assert 95000 < w['bytes_long'] - 66 * w['frames'] < 110000 and 1 < w['bytes_long'] / w['bytes_short'] < 16, w
print('windows', len(windows['of']))" "$work/logs/nic1.json"
}
# For the first host's shell: waits until the second one has COUNT sockets that listen, -t TCP or -u UDP.
listening='listening() { local i; for i in {1..300}; do (($(ip netns exec host2 ss -Hln "$1" | wc -l) >= $2)) && return; sleep 0.1; done; return 1; }'
datagrams() {
  live --live "--bound 8" --serve "'$floats' receive --udp --lose 50 --bound 8 > '$work/received' 2>&1; echo \$? > '$work/code'" \
    -- bash -c "$listening; listening -u 1; '$floats' send --udp --to 10.77.0.2 --count $count; sleep 1"
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
for _ in range(300):
    try:
        data = urllib.request.urlopen('http://10.77.0.2:8000/file').read()
        break
    except OSError:
        time.sleep(0.1)
assert hashlib.sha256(data).digest() == hashlib.sha256(open('$work/file', 'rb').read()).digest()
print('copied', len(data), 'bytes')"
}
# A server for each client: one that serves several closes its socket between two, and resets whoever comes just then.
bandwidth() {
  # shellcheck disable=SC2016 # for the inner shell
  live --serve 'for port in 5201 5202 5203; do iperf3 -s -1 -p $port > /dev/null & done; wait' -- bash -ec "$listening; listening -t 3
    iperf3 -p 5201 -c 10.77.0.2 -t 2 --tos 0x28
    iperf3 -p 5202 -c 10.77.0.2 -t 1
    iperf3 -p 5203 -u -b 20M -l 1400 -c 10.77.0.2 -t 1 --tos 0x28"
}
refused() {
  local code=0
  "$gradwire" live --host a --wire a > "$work/out" 2>&1 || code=$?
  [[ $code == 2 ]]
  grep -q 'same interface' "$work/out"
  unshare -Ur --map-root-user "$gradwire" live --host 'a b' --wire c > "$work/out" 2>&1 && return 1
  grep -q "'a b' is no name of an interface" "$work/out"
  local options
  for options in '--tx-rtl x.f' '--rx-rtl x.f --rx-top t --engine model' '--window 1023' '--bound 15'; do
    code=0
    # shellcheck disable=SC2086 # several options
    unshare -Urn timeout 10 "$gradwire" live --host gwa --wire gwb $options > "$work/out" 2>&1 || code=$?
    cat "$work/out"
    [[ $code == 2 && $(wc -l < "$work/out") == 1 ]]
    grep -q -e "${options%% *}" "$work/out"
  done
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
# packed FOLDER: of how many frames the NICs packed how many
packed() {
  python3 -c "
import json, sys
tx = [json.load(open(name))['live']['tx'] for name in sys.argv[1:]]
print(sum(n['packed_frames'] for n in tx), 'of', sum(n['frames_in'] for n in tx))" "$1"/nic*.json
}
# A copy by scp: unmarked, as all that is no float. The server is the test's own: its keys, its user and that user's home are in the
# test's folder, and it cannot become anyone else.
secure_copy() {
  local folder=$work/scp
  local home=$folder/home
  mkdir -p "$home/.ssh"
  chmod 700 "$home" "$home/.ssh"
  dropbearkey -t ed25519 -f "$folder/host" > /dev/null
  ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
  cp "$folder/key.pub" "$home/.ssh/authorized_keys"
  chmod 600 "$home/.ssh/authorized_keys"
  echo "live:x:1000:1000::$home:/bin/sh" > "$folder/passwd"
  head -c 1000003 /dev/urandom > "$folder/sent"
  live --logs "$folder/logs" --serve "mount --bind '$folder/passwd' /etc/passwd
      exec unshare --user --map-user=1000 --map-group=1000 dropbear -F -E -s -r '$folder/host' -p 10.77.0.2:2222 -P '$folder/pid'" \
    -- bash -ec "
      $listening; listening -t 1
      scp -O -q -F /dev/null -P 2222 -i '$folder/key' -o IdentitiesOnly=yes -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null '$folder/sent' live@10.77.0.2:received"
  [[ $(sha256sum < "$folder/sent") == "$(sha256sum < "$home/received")" ]]
  echo "copied $(stat -c %s "$home/received") bytes by scp, packed $(packed "$folder/logs") frames"
  [[ $(packed "$folder/logs") == "0 of "* ]]
}
# Sums of floats over three hosts, and once more over plain forwarders: the same bits. OpenMPI cannot mark its connections, and their
# streams have headers. Instead of a secure shell, an agent enters the other host's namespace, under a name of its own.
allreduce() {
  local folder=$work/mpi
  mkdir -p "$folder/tmp"
  mpicc -O2 -o "$folder/allreduce" "$root/tests/live/allreduce.c"
  # shellcheck disable=SC2016 # for the agent
  printf '%s\n' '#!/bin/sh' 'host=host${1##*.}' 'shift' \
    'exec ip netns exec "$host" unshare --uts sh -c "hostname $host && $*"' > "$folder/agent"
  chmod +x "$folder/agent"
  # The agent's name, and the interface's, for versions 4 and 5.
  local command=(env "TMPDIR=$folder/tmp" "OMPI_MCA_plm_rsh_agent=$folder/agent" "PRTE_MCA_plm_ssh_agent=$folder/agent"
    OMPI_MCA_oob_tcp_if_include=gw0 PRTE_MCA_prte_if_include=gw0
    mpirun --allow-run-as-root --mca pml ob1 --mca btl "self,tcp" --mca btl_tcp_if_include gw0
    --host "10.77.0.1,10.77.0.2,10.77.0.3" -n 3 "$folder/allreduce")
  live --hosts 3 --logs "$folder/logs" -- "${command[@]}" "$folder/nics"
  live --hosts 3 --live "--engine none" -- "${command[@]}" "$folder/plain"
  cmp "$folder/nics" "$folder/plain"
  echo "copied $(stat -c %s "$folder/nics") bytes of sums, as without NICs; packed $(packed "$folder/logs") frames"
  [[ -s $folder/nics && $(packed "$folder/logs") == "0 of "* ]]
}
# Marked floats on a VLAN: packed behind the tag. Where the kernel has no VLAN interfaces, a program stands in for one.
vlan() {
  local folder=$work/vlan add="ip link add link gw0 name gw0.5 type vlan id 5"
  mkdir -p "$folder"
  unshare -Urn bash -c 'ip tuntap add dev t mode tap && ip link add link t name t.5 type vlan id 5' 2> /dev/null ||
    add="python3 '$root/tests/live/vlan.py' gw0 gw0.5 5"
  # shellcheck disable=SC2016 # for the inner shells
  local up='ip link set gw0.5 up; ip address add 10.78.0.$GRADWIRE_HOST/24 dev gw0.5'
  live --live "--bound 10" --logs "$folder" \
    --serve "$add; $up; '$floats' receive --bound 10 --count $count > '$work/received' 2>&1; echo \$? > '$work/code'" \
    -- bash -ec "GRADWIRE_HOST=1; $add; $up; '$floats' send --to 10.78.0.2 --count $count --writes 1,3,65536"
  cat "$work/received"
  echo "packed $(packed "$folder") frames, VLAN by ${add%% *}"
  [[ $(cat "$work/code") == 0 && $(packed "$folder") != "0 of "* ]]
}
# diverges DEVICE FILE SED NIC: with RTL of a device that is wrong where a payload has fewer than 1,000 bytes, NIC number NIC ends. The
# sender begins with a hundred full segments; its last one has 708 bytes. Leaves what was written in the folder where it then is.
diverges() {
  local device=$1 file=rtl/nic/$2 folder=$work/$1 code=0
  cache=${gradwire%/*}/tests/cache/gradwire
  mkdir -p "$folder/logs"
  cp -r "$root/rtl" "$folder/rtl"
  cd "$folder"
  sed -i "$3" "$file"
  if cmp -s "$root/$file" "$file"; then
    echo "the fault changes nothing"
    return 1
  fi
  (echo "+incdir+rtl/common" && cat "rtl/nic/gw_$device.f") > wrong.f
  # Built here, not while hosts wait; right where it is not wrong.
  "$gradwire" run "$device" --synth bypassed --packets 3 --quiet --rtl wrong.f --top "gw_$device" --cache "$cache"
  local side=${device#nic_}
  live --live "--bound 8 --seed 5 --$side-rtl $folder/wrong.f --$side-top gw_$device --cache $cache" --pcap "$folder/logs" \
    --serve "readlink /proc/self/ns/net > namespace; '$floats' receive --bound 8 --count 200001" \
    -- bash -c "trap 'ip link show gw0 > tap 2>&1; exit' TERM
      '$floats' send --to 10.77.0.2 --count 200001 --writes 144800 & sleep 60 & wait \$!" > log 2>&1 || code=$?
  cat log
  [[ $code == 1 ]]
  # A sentence, and the command.
  grep -q "^gradwire: $device diverged in cycle [0-9]*: m_axis_tdata: rtl says [0-9a-f_]*, model says [0-9a-f_]*\$" log
  [[ $(grep -c '^gradwire: ' log) == 1 && $(grep 'live: NIC .* ended' log) == "live: NIC $4 ended with exit code 1" ]]
  # The last 64 frames, and the SYNs before them; of fewer all (a busy host may send a short segment before a hundred full ones).
  capture=$(echo "gradwire-live-$device"-*.pcap)
  python3 -c "
import struct, sys
data, at, syn = open(sys.argv[1], 'rb').read(), 24, []
while at < len(data):
    frame = data[at + 16:][:struct.unpack_from('<I', data, at + 8)[0]]
    syn.append(frame[12:14] == b'\x08\x00' and frame[23] == 6 and bool(frame[47] & 2))
    at += 16 + len(frame)
assert any(syn) and all(syn[:-64]) and not (len(syn) > 64 and any(syn[-64:])), syn" "$capture"
  # What is printed repeats it, in a process of its own.
  again=$(sed -n 's/.*to repeat it: gradwire //p' log)
  code=0
  # shellcheck disable=SC2086 # a command line
  "$gradwire" $again > repeated 2>&1 || code=$?
  tail -n 40 repeated
  [[ $code == 1 ]]
  grep -q 'port m_axis_tdata' repeated
  # The namespaces are gone, and the interfaces with them.
  [[ -s namespace && -z $(find /proc -maxdepth 3 -path '*/ns/net' -lname "$(cat namespace)" 2> /dev/null) ]]
}
divergence() {
  diverges nic_tx gw_nic_tx_merge.sv "s/edges_i, covered\[7:0\], /edges_i, covered[7:0] ^ {7'd0, length_i < 14'd1000}, /" 1
  [[ $again == "run nic_tx --trace $capture --host any --bound 8 --seed 5 --rtl $PWD/wrong.f --top gw_nic_tx --cache $cache" ]]
  # Nobody held the host's interface any more, and nothing wrong went out.
  grep -q NO-CARRIER tap
  "$gradwire" run nic_rx --trace logs/nic1-tx.pcapng --json wire --quiet
  python3 -c "
import json
reasons = json.load(open('wire'))['nic']['rx']['reasons']
assert reasons['unpacked'] > 0 and set(reasons) <= {'passed', 'unpacked'}, reasons"
  # Of a capture of the wire, which says by itself how it is packed, the other device takes no bound.
  diverges nic_rx gw_nic_rx_layout.sv "s/total_q     <= {2'd0, result} - /total_q <= ({2'd0, result} ^ {15'd0, length_i < 14'd1000}) - /" 2
  [[ $again == "run nic_rx --trace $capture --host any --seed 5 --rtl $PWD/wrong.f --top gw_nic_rx --cache $cache" ]]
}
# A training run in small, whose trainer checks that all weights are equal: each iteration has its ratio, and frames are as long as --mtu says.
training() {
  BUILD=${gradwire%/*} "$root/tools/live/train.sh" --workers 2 --iterations 3 --mtu 4000 | tee "$work/trained"
  awk '/^[123] / && $2 > 2 && $3 < $4 { ++good } END { exit good != 3 }' "$work/trained"
  # Frames without acknowledgements would have 4,014 bytes.
  awk '/^frames / { frames = $3 } /^MB / { mb = $3 } END { gsub(",", "", frames); exit !(1600 < mb * 1e6 / frames && mb * 1e6 / frames < 4014) }' "$work/trained"
  local code=0
  "$root/tools/live/train.sh" --mtu 9001 > "$work/out" 2>&1 || code=$?
  [[ $code == 2 && $(cat "$work/out") == "train: --mtu '9001' is not between 576 and 9000" ]]
}
vanishing() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare -Urn --pid --fork --kill-child --mount-proc bash -c '
    ip tuntap add dev gwh mode tap
    "$0" live --host gwh --wire gww --engine none > /dev/null 2> "$1/vanished" & nic=$!
    for i in {1..300}; do ip link show gww > /dev/null 2>&1 && break; sleep 0.1; done
    sleep 0.2; ip link set gwh up; ip link del gwh; wait $nic; code=$?
    cat "$1/vanished"; grep -q "has vanished" "$1/vanished" && [[ $code == 3 ]] && ! ip link show gww' "$gradwire" "$work"
}
# What is counted and printed, of frames whose figures are known.
figures() {
  mkdir "$work/figures"
  cd "$work/figures"
  unshare -Urn python3 "$root/tests/live/figures.py" "$gradwire"
}

# figure NIC DIRECTION KEY: of the report in $work/logs, 0 if there is none such
figure() {
  python3 -c "
import json, sys
value = json.load(open(sys.argv[1]))['live']
for key in sys.argv[2:]:
    value = value.get(key, 0)
print(value)" "$work/logs/$1.json" "${@:2}"
}
# A router in between that cannot forward packed frames whole says so, and quotes one: path MTU discovery goes on. At bound 14 frames of
# 1,500 bytes do not become short enough.
path_mtu() {
  live --router 576 --live "--bound 14" --logs "$work/logs" --serve "exec '$floats' receive --bound 14 --count 20001" \
    -- timeout 15 "$floats" send --to 10.77.1.2 --count 20001
  echo "mended $(figure nic1 rx reasons mended), packed $(figure nic1 tx packed_frames), unpacked $(figure nic2 rx packed_frames)"
  (($(figure nic1 rx reasons mended) > 0 && $(figure nic2 rx packed_frames) > 20))
  (($(figure nic1 tx packed_frames) > $(figure nic2 rx packed_frames)))
}
# A far host without nic_rx gets the values as they are.
no_nic_rx() {
  live --live "--bound 10" --far "--engine none" --logs "$work/logs" --serve "exec '$floats' receive --exact --count 20001" \
    -- timeout 15 "$floats" send --to 10.77.0.2 --count 20001
  cat "$work/logs/nic1.log"
  (($(figure nic1 rx reasons mended) > 0 && $(figure nic1 rx forgets) > 0 && $(figure nic1 tx packed_frames) > 0))
  (($(figure nic1 tx reasons no_stream_start) > 20))
  [[ $(grep -c 'live: 10.77.0.2 takes no packed frames .* its port 7010 goes on unpacked' "$work/logs/nic1.log") == 1 ]]
}
# How NICs end: by Ctrl-C in a terminal, and when a process of theirs is killed.
endings() {
  mkdir "$work/$1"
  cd "$work/$1"
  python3 "$root/tests/live/endings.py" "$1" "$gradwire" "$floats" "$root/tools/live/live.sh"
}
# live.sh ends with the code of a receiver: of a stream that was cut, and of one that was not.
received() {
  local code=0
  live --live "--engine model" --serve "exec '$floats' receive" -- \
    bash -c "timeout -s KILL 0.5 '$floats' send --to 10.77.0.2 --count 1000000000; true" > "$work/out" 2>&1 || code=$?
  cat "$work/out"
  [[ $code == 1 ]]
  grep -q "cut: the sender's end did not arrive" "$work/out"
  grep -q "what --serve started in host 2 ended with exit code 1" "$work/out"
  live --live "--engine model" --serve "exec '$floats' receive" -- "$floats" send --to 10.77.0.2 --count 1001
  # A number of its own counts, too; and what the sender says of it.
  code=0
  live --live "--engine model" --serve "exec '$floats' receive --count 1002" -- "$floats" send --to 10.77.0.2 --count 1001 || code=$?
  [[ $code == 1 ]]
}

all=(refused vanishing received killed terminal pings copy bytes windows odd small jumbo bad datagrams path_mtu no_nic_rx)
# needs CHECK PROGRAM...: adds the check, or says why not
needs() {
  local name=$1 program
  shift
  for program; do
    command -v "$program" > /dev/null || {
      echo "without $name: $program is not installed"
      return
    }
  done
  all+=("$name")
}
needs bandwidth iperf3
needs secure_copy dropbear dropbearkey scp ssh-keygen
needs allreduce mpirun mpicc
needs vlan python3
if [[ -x ${gradwire%/*}/tools/capture/gradwire-capture ]]; then all+=(training); else echo "without training: the trainer is not built"; fi
for name in "${@:-${all[@]}}"; do
  case $name in
    bytes) check "$name" stream 1500 1,3,70000,17,1461 "" ;;
    odd) check "$name" stream 1499 65536 "" ;;
    small) check "$name" stream 576 4096,6 "" ;;
    jumbo) check "$name" stream 9000 100000,7 "" ;;
    bad) check "$name" stream 1500 1,65536 "--loss 2 --duplicate 2 --reorder 5" ;;
    killed | terminal) check "$name" endings "$name" ;;
    *) check "$name" "$name" ;;
  esac
done
exit $failed
