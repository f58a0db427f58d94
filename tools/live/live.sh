#!/usr/bin/env bash
# Hosts with a simulated NIC each: N network namespaces, `gradwire live` in each one's path, a bridge between the wires.
#
#   tools/live/live.sh [options] [-- COMMAND ...]
#
#   --hosts N         how many (2): 10.77.0.1, 10.77.0.2, ...
#   --mtu M           of all interfaces (1500)
#   --serve COMMAND   runs in all hosts but the first meanwhile, by the shell, with the host's number in $GRADWIRE_HOST
#   --live OPTIONS    more options of `gradwire live`, as one word: '--bound 8 --engine model'
#   --program FILE    gradwire (default: that of build/)
#   --logs DIR        where each NIC's lines and figures go (default: nowhere)
#   --pcap DIR        each NIC's captures there: nicN-tx.pcapng, nicN-rx.pcapng
#   COMMAND           runs in the first host; default: ping each of the others
#
# Needs no root: it runs in a user namespace, with a process and a network namespace, so that whatever happens nothing stays
# behind. Its exit code is COMMAND's, or that of a NIC that failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

die() {
  echo "live: $*" >&2
  exit 2
}
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
}

hosts=2 mtu=1500 serve="" options="" program=$root/build/gradwire logs="" pcap=""
arguments=("$@")
while (($# > 0)); do
  case $1 in
    --hosts | --mtu | --serve | --live | --program | --logs | --pcap)
      (($# > 1)) || die "$1 needs a value"
      case $1 in
        --hosts) hosts=$2 ;;
        --mtu) mtu=$2 ;;
        --serve) serve=$2 ;;
        --live) options=$2 ;;
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
[[ -x $program ]] || die "$program is not there: build it, or name it with --program"
for tool in ip unshare; do
  command -v $tool > /dev/null || die "$tool is missing; on Debian: apt-get install iproute2 util-linux"
done

if [[ ${GRADWIRE_LIVE_INSIDE:-} != yes ]]; then
  [[ -e /dev/net/tun ]] || die "this machine has no TAP devices (/dev/net/tun is missing)"
  unshare -Urnm true 2> /dev/null || die "this machine gives no user namespaces (unshare -Urnm fails)"
  # The process namespace ends with its first process, and everything in it.
  GRADWIRE_LIVE_INSIDE=yes exec unshare -Urnm --pid --fork --kill-child --mount-proc "$0" "${arguments[@]}"
fi

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
ip link add wire type bridge
ip link set wire mtu "$mtu" up
nics=()
for ((i = 1; i <= hosts; ++i)); do
  ip netns add "host$i"
  ip netns exec "host$i" bash -c "$(declare -f quiet); quiet"
  ip tuntap add dev "host$i" mode tap
  ip tuntap add dev "wire$i" mode tap
  log=${logs:-$scratch}
  # shellcheck disable=SC2086 # several options
  "$program" live --host "host$i" --wire "wire$i" --json "$log/nic$i.json" ${pcap:+--pcap "$pcap/nic$i"} $options > "$log/nic$i.log" 2> "$log/nic$i.err" &
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
  ip link set "wire$i" mtu "$mtu" master wire up
  ip link set "host$i" netns "host$i" name gw0
  ip -n "host$i" link set gw0 address "02:00:00:00:00:$(printf %02x "$i")" mtu "$mtu"
  ip -n "host$i" address add "10.77.0.$i/24" dev gw0
  ip -n "host$i" link set lo up
  ip -n "host$i" link set gw0 up
done
if [[ -n $serve ]]; then
  for ((i = 2; i <= hosts; ++i)); do GRADWIRE_HOST=$i ip netns exec "host$i" bash -c "$serve" & done
fi

status=0
if (($# > 0)); then
  ip netns exec host1 "$@" || status=$?
else
  for ((i = 2; i <= hosts; ++i)); do ip netns exec host1 ping -c 3 "10.77.0.$i" || status=$?; done
fi
for ((i = 1; i <= hosts; ++i)); do
  kill -INT "${nics[i - 1]}" 2> /dev/null || true
  nic=0
  wait "${nics[i - 1]}" || nic=$?
  if ((nic != 0)); then
    cat "${logs:-$scratch}/nic$i.err" >&2
    echo "live: NIC $i ended with exit code $nic" >&2
    ((status != 0)) || status=$nic
  fi
done
exit "$status"
