#!/usr/bin/env bash
# A Slurm cluster of one node, for as long as a command runs: tests/farm/cluster.sh DIR COMMAND [ARGUMENT ...]
#
# munged, slurmctld and slurmd of this user on the loopback interface, with a key, sockets, ports and state of their own in DIR, without
# systemd, cgroups and accounting. COMMAND gets SLURM_CONF, so that sbatch and all others mean this cluster, and CLUSTER, which is DIR.
# In it `tests/farm/cluster.sh --start munged|slurmctld|slurmd` starts one again that was ended; DIR/NAME.pid has its process.
# When COMMAND has ended, or this script was killed, nothing of the cluster runs any more. Exit code: COMMAND's; 77 where Slurm is missing.
#
# CPUS: of the node (default: this machine's). SETTINGS: lines for slurm.conf, such as MaxArraySize=5.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
self=$(realpath "$0")
PATH=$PATH:/usr/sbin:/sbin

fail() {
  echo "cluster: $*" >&2
  exit 1
}

# Processes of the cluster and its jobs: all have its SLURM_CONF, and so have the command's own, which are none of them.
members() {
  local environment name
  for environment in /proc/[0-9]*/environ; do
    grep -qzxF "SLURM_CONF=$CLUSTER/slurm.conf" "$environment" 2> /dev/null || continue
    name=$(cat "${environment%environ}comm" 2> /dev/null) || continue
    case $name in
      munged | slurmctld | slurmd | slurmstepd | slurmscriptd) ;;
      *) grep -qz '^SLURM_JOB_ID=' "$environment" 2> /dev/null || continue ;;
    esac
    environment=${environment#/proc/}
    echo "${environment%/environ}"
  done
}

# What they hold is of no worth: killed. One that is killed may just have started another, so until there is none.
tear_down() {
  local pids pass
  for ((pass = 0; pass < 50; pass++)); do
    pids=$(members)
    [[ -n $pids ]] || return 0
    # shellcheck disable=SC2086  # words
    kill -KILL $pids 2> /dev/null || true
    sleep 0.1
  done
  echo "cluster: cannot end processes $(tr '\n' ' ' <<< "$pids")" >&2
}

start() {
  case $1 in
    # Everything belongs to one user: that others can reach the socket is not wanted (--force).
    munged)
      munged --force --key-file="$CLUSTER/munge.key" --socket="$CLUSTER/munge.socket" --pid-file="$CLUSTER/munged.pid" \
        --seed-file="$CLUSTER/munge.seed" --log-file="$CLUSTER/munged.log" 2>> "$CLUSTER/munged.log"
      ;;
    slurmctld) slurmctld > "$CLUSTER/slurmctld.out" 2>&1 ;;
    slurmd) slurmd > "$CLUSTER/slurmd.out" 2>&1 ;;
    *) fail "there is no '$1' to start" ;;
  esac || {
    tail -n 5 "$CLUSTER/$1.out" "$CLUSTER/$1.log" >&2 2> /dev/null || true
    fail "$1 does not start"
  }
}

case ${1:-} in
  --start)
    start "$2"
    exit
    ;;
  --watch)
    tail --pid="$2" -f /dev/null
    tear_down
    exit
    ;;
esac
(($# >= 2)) || fail "usage: tests/farm/cluster.sh DIR COMMAND [ARGUMENT ...]"

for program in munged slurmctld slurmd sbatch; do
  command -v "$program" > /dev/null || {
    echo "skipped: $program is not installed (tools/setup.sh test installs it)"
    exit 77
  }
done

# Of a cluster in whose job this may run.
for name in "${!SLURM_@}" "${!SBATCH_@}"; do unset "$name"; done

mkdir -p "$1"
CLUSTER=$(realpath "$1")
shift
# A socket's path has 107 characters at most.
((${#CLUSTER} <= 90)) || fail "'$CLUSTER' is too long a path for a socket"
[[ ! -e $CLUSTER/slurm.conf ]] || fail "'$CLUSTER' has a cluster already"
export CLUSTER SLURM_CONF=$CLUSTER/slurm.conf
chmod 700 "$CLUSTER"
mkdir -p "$CLUSTER/state" "$CLUSTER/spool"

(umask 077 && head -c 128 /dev/urandom > "$CLUSTER/munge.key")
# Two ports that nobody listens on.
read -r controller_port node_port < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))')
user=$(id -un)
host=$(hostname -s)

cat > "$CLUSTER/slurm.conf" << END
ClusterName=gradwire
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd.log
# Processes of a job are found by their parents: no cgroups.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# A test waits for nothing that a machine room waits for.
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmdTimeout=5
KillWait=2
ReturnToService=2
# CPUS may be more than there are.
SlurmdParameters=config_overrides
${SETTINGS:-}
NodeName=$host NodeAddr=127.0.0.1 CPUs=${CPUS:-$(nproc)} State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
# Since 23.11 slurmd wants a cgroup of its own unless it is told that there are none; before, it does not know the word.
version=$(sbatch --version | sed -E 's/^[^0-9]*([0-9]+)\.([0-9]+).*/\1\2/')
((version < 2311)) || echo "CgroupPlugin=disabled" > "$CLUSTER/cgroup.conf"

# Ends all of it, even if this script is killed.
setsid "$self" --watch $$ < /dev/null > "$CLUSTER/watch.out" 2>&1 &
watch=$!
ended() {
  trap - EXIT
  tear_down
  kill -- -"$watch" 2> /dev/null || true
}
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

start munged
start slurmctld
start slurmd
for ((i = 0; ; i++)); do
  [[ $(sinfo --noheader --format=%t 2> /dev/null) != idle ]] || break
  ((i < 150)) || {
    tail -n 5 "$CLUSTER/slurmctld.log" "$CLUSTER/slurmd.log" >&2
    fail "the node does not come up"
  }
  sleep 0.1
done
"$@"
