#!/usr/bin/env bash
# Hosts with a simulated NIC each: N network namespaces, `gradwire live` in each one's path, a bridge between the wires.
#
#   tools/live/live.sh [options] [-- COMMAND ...]
#
#   --hosts N         how many (2): 10.77.0.1, 10.77.0.2, ...
#   --mtu M           of all interfaces (1500)
#   --serve COMMAND   runs in all hosts but the first meanwhile, by the shell, with the host's number in $GRADWIRE_HOST
#   --live OPTIONS    more options of `gradwire live`, as one word: '--bound 8 --engine model'
#   --far OPTIONS     more options of the NICs of all hosts but the first: '--engine none' makes them hosts without a NIC of ours
#   --router M        host 1 in a network of its own (10.77.0.1); a router between it and the others (10.77.1.2, ...), whose side of their
#                     network has the MTU M
#   --program FILE    gradwire (default: that of build/)
#   --logs DIR        where each NIC's lines and figures go (default: nowhere)
#   --pcap DIR        each NIC's captures there: nicN-tx.pcapng, nicN-rx.pcapng
#   COMMAND           runs in the first host; default: ping each of the others
#
# Needs no root: it runs in a user namespace, with a process and a network namespace, so that whatever happens nothing is
# left. When COMMAND is over, what --serve started has two seconds to end by itself (a receiver that reports does; a server that waits
# for more is ended). Exit code: COMMAND's; if that is 0, that of a NIC that failed, else of a --serve COMMAND that failed by itself. A NIC
# that ends meanwhile ends all. Ctrl-C goes to COMMAND alone; when that has ended the others follow in order, NICs last.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/live/signals.sh
source "$root/tools/live/signals.sh"

die() {
  echo "live: $*" >&2
  exit 2
}
usage() {
  sed -n '2,/^set /{/^set /d;/^# SPDX/d;s/^# \{0,1\}//;p}' "$0"
}

hosts=2 mtu=1500 serve="" options="" far="" router="" program=$root/build/gradwire logs="" pcap=""
arguments=("$@")
while (($# > 0)); do
  case $1 in
    --hosts | --mtu | --serve | --live | --far | --router | --program | --logs | --pcap)
      (($# > 1)) || die "$1 needs a value"
      case $1 in
        --hosts) hosts=$2 ;;
        --mtu) mtu=$2 ;;
        --serve) serve=$2 ;;
        --live) options=$2 ;;
        --far) far=$2 ;;
        --router) router=$2 ;;
        --program) program=$2 ;;
        --logs) logs=$2 ;;
        --pcap) pcap=$2 ;;
      esac
      shift 2
      ;;
    --)
      shift
      break
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "'$1' is no option (try --help)" ;;
  esac
done
# number NAME VALUE LEAST MOST
number() {
  if [[ ! $2 =~ ^[1-9][0-9]{0,5}$ ]] || (($2 < $3 || $2 > $4)); then die "$1 '$2' is not between $3 and $4"; fi
}
number --hosts "$hosts" 2 16
number --mtu "$mtu" 576 9000
if [[ -n $router ]]; then number --router "$router" 576 9000; fi
[[ -x $program ]] || die "$program is not there: build it, or name it with --program"
for tool in ip unshare; do
  command -v $tool > /dev/null || die "$tool is missing; on Debian: apt-get install iproute2 util-linux"
done

if [[ ${GRADWIRE_LIVE_INSIDE:-} != yes ]]; then
  [[ -e /dev/net/tun ]] || die "this machine has no TAP devices (/dev/net/tun is missing)"
  unshare -Urnm true 2> /dev/null || die "this machine gives no user namespaces (unshare -Urnm fails)"
  # The process namespace ends with its first process, and everything in it; unshare, which waits for that, with this script. What bash
  # starts in the background ignores Ctrl-C, unless it is told not to.
  GRADWIRE_LIVE_INSIDE=yes env --default-signal=INT,QUIT setpriv --pdeathsig KILL \
    unshare -Urnm --pid --fork --kill-child --mount-proc "$0" "${arguments[@]}" <&0 &
  status=0
  until_over $! inside || status=$?
  exit "$status"
fi

# Nothing runs yet that would have to be ended in order.
trap 'exit 130' INT TERM HUP
mount -t tmpfs none /run
mkdir /run/netns
scratch=/run/live
mkdir "$scratch"
for folder in "$logs" "$pcap"; do
  if [[ -n $folder ]]; then mkdir -p "$folder"; fi
done
quiet() { sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 2> /dev/null || true; }
quiet
ip link set lo up
# network NAME: a bridge that joins wires
network() {
  ip link add "$1" type bridge
  ip link set "$1" mtu "$mtu" up
}
network wire
if [[ -n $router ]]; then
  network far
  ip netns add router
  ip netns exec router bash -c "$(declare -f quiet); quiet"
  for side in near far; do
    ip link add "$side-port" type veth peer name "$side" netns router
    ip link set "$side-port" mtu "$mtu" master "${side/near/wire}" up
  done
  ip -n router address add 10.77.0.254/24 dev near
  ip -n router address add 10.77.1.254/24 dev far
  ip -n router link set near mtu "$mtu" up
  ip -n router link set far mtu "$router" up
  ip netns exec router sysctl -qw net.ipv4.ip_forward=1
fi
# address HOST, and its NIC's bridge
address() {
  if [[ -n $router ]] && (($1 > 1)); then echo "10.77.1.$1"; else echo "10.77.0.$1"; fi
}
bridge() {
  if [[ -n $router ]] && (($1 > 1)); then echo far; else echo wire; fi
}
nics=()
for ((i = 1; i <= hosts; ++i)); do
  ip netns add "host$i"
  ip netns exec "host$i" bash -c "$(declare -f quiet); quiet"
  ip tuntap add dev "host$i" mode tap
  ip tuntap add dev "wire$i" mode tap
  log=${logs:-$scratch}
  more=$options
  if ((i > 1)); then more+=" $far"; fi
  # In a session of its own: the terminal's Ctrl-C is not for it.
  # shellcheck disable=SC2086 # several options
  setsid "$program" live --host "host$i" --wire "wire$i" --json "$log/nic$i.json" ${pcap:+--pcap "$pcap/nic$i"} $more > "$log/nic$i.log" 2> "$log/nic$i.err" &
  nics+=($!)
done
# RTL is built first, the first time.
for ((i = 1; i <= hosts; ++i)); do
  log=${logs:-$scratch}
  until grep -q '^live: ' "$log/nic$i.log"; do
    kill -0 "${nics[i - 1]}" 2> /dev/null || {
      cat "$log/nic$i.err" >&2
      die "NIC $i did not begin"
    }
    sleep 0.1
  done
  ip link set "wire$i" mtu "$mtu" master "$(bridge "$i")" up
  ip link set "host$i" netns "host$i" name gw0
  ip -n "host$i" link set gw0 address "02:00:00:00:00:$(printf %02x "$i")" mtu "$mtu"
  ip -n "host$i" address add "$(address "$i")/24" dev gw0
  ip -n "host$i" link set lo up
  ip -n "host$i" link set gw0 up
  if [[ -n $router ]]; then
    own=$(address "$i")
    ip -n "host$i" route add default via "${own%.*}.254"
  fi
done
servers=()
if [[ -n $serve ]]; then
  for ((i = 2; i <= hosts; ++i)); do
    GRADWIRE_HOST=$i setsid ip netns exec "host$i" bash -c "$serve" &
    servers+=($!)
  done
fi

status=0
# nic_over I: says what became of a NIC, once
nic_over() {
  local code=0
  wait "${nics[$1 - 1]}" || code=$?
  nics[$1 - 1]=""
  if ((code == 0)); then return; fi
  cat "${logs:-$scratch}/nic$1.err" >&2
  echo "live: NIC $1 ended with exit code $code" >&2
  ((status != 0)) || status=$code
}
if (($# == 0)); then
  pings="trap 'exit 130' INT; status=0;"
  for ((i = 2; i <= hosts; ++i)); do pings+=" ping -c 3 $(address "$i") || status=\$?;"; done
  set -- bash -c "$pings exit \$status"
fi
trap '' INT
trap 'ending=yes' TERM HUP
ending=""
env --default-signal=INT,QUIT ip netns exec host1 "$@" <&0 &
command=$!
naps=0
while alive "$command"; do
  nap
  for ((i = 1; i <= hosts; ++i)); do
    if [[ -z ${nics[i - 1]} ]] || alive "${nics[i - 1]}"; then continue; fi
    nic_over "$i"
    ((status != 0)) || status=1
    echo "live: a NIC is gone: the run ends" >&2
    ending=yes
  done
  [[ -n $ending ]] || continue
  # Who does not listen for two seconds is not waited for.
  if ((naps++ == 0)); then kill -TERM "$command" 2> /dev/null || true; fi
  if ((naps == 40)); then kill -KILL "$command" 2> /dev/null || true; fi
done
trap '' TERM HUP
code=0
wait "$command" || code=$?
((status != 0)) || status=$code
# servers_end SECONDS: so long they have
servers_end() {
  local left server
  for ((left = 20 * $1; left > 0; --left)); do
    for server in "${servers[@]}"; do
      if alive "$server"; then
        nap
        continue 2
      fi
    done
    break
  done
}
if ((${#servers[@]} > 0)); then
  servers_end 2
  for ((i = 0; i < ${#servers[@]}; ++i)); do
    if alive "${servers[i]}"; then continue; fi
    code=0
    wait "${servers[i]}" || code=$?
    ((code != 0)) || continue
    echo "live: what --serve started in host $((i + 2)) ended with exit code $code" >&2
    failed=$code
  done
  for server in "${servers[@]}"; do kill -TERM -- "-$server" 2> /dev/null || true; done
  servers_end 1
fi
for ((i = 1; i <= hosts; ++i)); do
  if [[ -z ${nics[i - 1]} ]]; then continue; fi
  kill -INT "${nics[i - 1]}" 2> /dev/null || true
  nic_over "$i"
done
((status != 0)) || status=${failed:-0}
exit "$status"
