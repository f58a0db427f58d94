#!/usr/bin/env bash
# The cluster runs jobs, gives its command's exit code, and leaves no process, also when it is killed: tests/farm/cluster_test.sh
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAIL $*" >&2
  exit 1
}

# Processes that know the cluster of that folder; what has ended, and was not waited for by whoever should, has no environment.
left() {
  local environment
  for environment in /proc/[0-9]*/environ; do
    [[ $environment == /proc/$$/environ ]] || ! grep -qzxF "SLURM_CONF=$1/slurm.conf" "$environment" 2> /dev/null || echo "$environment"
  done
}

code=0
"$here/cluster.sh" "$work/a" srun sh -c 'exit 7' 2> "$work/said" || code=$?
((code != 77)) || exit 77
((code == 7)) || fail "a command's exit code 7 became $code: $(cat "$work/said")"
[[ -z $(left "$work/a") ]] || fail "processes are left: $(left "$work/a")"
echo "ok   a job's exit code"

# Killed while a job runs.
# shellcheck disable=SC2016  # the cluster's variable
"$here/cluster.sh" "$work/b" sh -c 'sbatch --output=/dev/null --wrap "touch $CLUSTER/runs; exec sleep 1000" && exec sleep 1000' \
  > "$work/said" &
cluster=$!
for ((i = 0; i < 600; i++)); do
  [[ ! -e $work/b/runs ]] || break
  sleep 0.1
done
[[ -e $work/b/runs ]] || fail "the job does not begin"
command=$(pgrep -P "$cluster" -x sleep)
kill -KILL "$cluster" "$command"
for ((i = 0; i < 100; i++)); do
  [[ -n $(left "$work/b") ]] || break
  sleep 0.1
done
[[ -z $(left "$work/b") ]] || fail "processes are left by a killed cluster: $(left "$work/b")"
echo "ok   killed, it leaves nothing"
