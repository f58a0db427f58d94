#!/usr/bin/env bash
# gradwire regress --farm slurm on a cluster of one node: tests/farm/farm_test.sh GRADWIRE CHECK ...
# Checks: same, node, jobs, held, controller, refused. Nothing here waits for a time: who waits, waits for something to be seen.
# SPDX-License-Identifier: Apache-2.0
set -Eeuo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [[ -z ${CLUSTER:-} ]]; then
  # Workers and tasks are few, and may be more than this machine has cores.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/cluster"
  CPUS=4 SETTINGS=MaxArraySize=5 "$here/cluster.sh" "$work/cluster" "$0" "$@"
  exit
fi
gradwire=$(realpath "$1")
shift
work=$(dirname "$CLUSTER")
cd "$work"
node=$(hostname -s)
controller=""
trap '[[ -z $controller ]] || kill -KILL "$controller" 2> /dev/null || true' EXIT

fail() {
  echo "FAIL $*" >&2
  [[ ! -e said ]] || cat said >&2
  exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
# until_true WHAT COMMAND...: the command says so, a minute at most
until_true() {
  local what=$1 i
  shift
  for ((i = 0; i < 600; i++)); do
    ! "$@" > /dev/null 2>&1 || return 0
    sleep 0.1
  done
  fail "still not: $what"
}
# Jobs that Slurm has not ended, of those whose state is one of $1.
jobs_in() { squeue --noheader --array --states="${1:-PD,R,CG,CF,S,RH,SE,RQ}" --format=%i; }
no_jobs() { [[ -z $(jobs_in) ]]; }
some_run() { [[ -n $(jobs_in R) ]]; }
some_wait() { [[ -n $(jobs_in PD) ]]; }
# The first task that runs.
running() { jobs_in R | head -n 1; }
begun() { grep -qs '^begin' "$1"/slurm/*/*.lines; }
each_has_begun() {
  begun "$1" && (($(pgrep -fc "regress worker $work/$1") <= $(grep -ls '^begin' "$1"/slurm/*/*.lines | wc -l)))
}
# expect CODE COMMAND...: its exit code; what it says is in the file `said`
expect() {
  local wanted=$1 code=0
  shift
  "$@" > said 2>&1 || code=$?
  ((code == wanted)) || fail "exit code $code, not $wanted: $*"
}
says() { grep -qE -- "$1" said || fail "it does not say '$1'"; }
no_processes() { ! pgrep -f "regress (task|worker) $work/"; }
# What has ended may still be being cleared away.
nothing_left() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    no_jobs && no_processes && return
    sleep 0.3
  done
  no_jobs || fail "jobs are left: $(squeue --noheader)"
  no_processes || fail "processes are left: $(pgrep -af "regress (task|worker) $work/")"
}

# begin DIR OPTIONS...: a regression in the background, of which `ends CODE` tells the exit code
begin() {
  local out=$1
  shift
  "$gradwire" regress long.toml --farm slurm --out "$out" "$@" > said 2>&1 &
  controller=$!
}
ends() {
  local code=0
  wait "$controller" || code=$?
  controller=""
  ((code == $1)) || fail "exit code $code, not $1"
}
# Long enough to be met while it runs; four cases, whose results are known.
long_plan() {
  cat > long.toml << 'END'
name = "long"
[slurm]
options = ["--comment=a test's"]
jobs = 2
patience = "5 s"
[[group]]
name = "g"
device = "compressor"
synth = "mixed"
packets = 500000
seeds = 4
END
}
# The same results as with the local farm; of a case that was tried twice its attempts tell.
same_verdicts() {
  [[ -e reference ]] || "$gradwire" regress long.toml --out reference --quiet > reference.txt 2>&1 || fail "the reference"
  sed -E 's/"attempts":( ?)[0-9]+/"attempts":\11/' "$1/regress.json" > tried.json
  "$here/same.py" reference/regress.json tried.json || fail "other results than those of the local farm"
}

# As when the power goes: nothing of the node says a last word. Slurm's own processes go first, known by what they have begun: those of
# version 24 have no environment.
kill_node() {
  local pid parent
  local -a first=() then=()
  kill -KILL "$(cat "$CLUSTER/slurmd.pid")"
  for pid in $(pgrep -f "regress (task|worker) $work/"); do
    grep -qzxF "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" 2> /dev/null || continue
    then+=("$pid")
    parent=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status" 2> /dev/null) || continue
    [[ $(cat "/proc/$parent/comm" 2> /dev/null) != slurmstepd ]] || first+=("$parent")
  done
  ((${#first[@]} > 0)) || fail "no slurmstepd has begun a task"
  for pid in "${first[@]}" "${then[@]}"; do kill -KILL "$pid" 2> /dev/null || true; done
  scontrol update NodeName="$node" State=DOWN Reason="killed by a test"
}
# A node that has come back by itself cannot be resumed.
resumed() { scontrol update NodeName="$node" State=RESUME || sinfo --noheader --format=%t | grep -qE '^(idle|mix|alloc)$'; }
start_node() {
  "$here/cluster.sh" --start slurmd
  until_true "the node is back" resumed
}

check_same() {
  # Passes, failures, a timeout, cases with one seed and with several; more tasks than an array may have.
  cat > p.toml << 'END'
name = "small"
[[group]]
name = "g"
device = ["compressor", "decompressor"]
synth = ["mixed", "single"]
stall = ["none", "both:30"]
packets = 20
[[group]]
name = "fails"
device = "compressor"
synth = "raw"
packets = 20
seeds = 2
expect = { cycles_per_burst = "<= 1.0" }
[[group]]
name = "endless"
device = "compressor"
synth = "mixed"
packets = 100000000
timeout = "1 s"
END
  expect 1 "$gradwire" regress p.toml --out local
  expect 1 "$gradwire" regress p.toml --farm slurm --jobs 8 --out slurm
  says 'PASS|FAIL'
  "$here/same.py" local/regress.json slurm/regress.json || fail "local and slurm differ"
  nothing_left
  local arrays
  arrays=$(squeue --noheader --states=all --array --Format=ArrayJobID:12,ArrayTaskID:12 | sort -u)
  (($(awk '{ print $1 }' <<< "$arrays" | sort -u | wc -l) >= 2)) || fail "one array: $arrays"
  (($(awk '{ print $2 }' <<< "$arrays" | sort -n | tail -n 1) <= 4)) || fail "an array of more than 5 tasks: $arrays"
  # The comparison sees what it is to see.
  local edit
  for edit in 's/("cycles": ?\d)/\g<1>1/' 's/("verdict": ?)"pass"/\g<1>"known"/' 's/("attempts": ?)1/\g<1>2/'; do
    python3 - "$edit" slurm/regress.json << 'END' > other.json
import re, sys
_, pattern, new, _ = sys.argv[1].split("/")
text, count = re.subn(pattern, new, open(sys.argv[2]).read(), count=1)
assert count == 1, pattern
print(text)
END
    ! "$here/same.py" local/regress.json other.json 2> /dev/null || fail "the comparison does not see $edit"
  done
  # A whole result has nothing missing: no job.
  expect 1 "$gradwire" regress p.toml --farm slurm --out slurm
  [[ $(squeue --noheader --states=all --array --Format=ArrayJobID:12,ArrayTaskID:12 | sort -u) == "$arrays" ]] || fail "jobs for nothing"
}

check_node() {
  long_plan
  # The node goes, and comes back.
  begin node
  until_true "a case has begun" begun node
  kill_node
  start_node
  ends 0
  says 'was requeued'
  says 'its worker died \(its Slurm task was requeued\); it gets another'
  same_verdicts node
  nothing_left

  # Its daemon alone: tasks go on.
  begin daemon
  until_true "a case has begun" begun daemon
  kill -KILL "$(cat "$CLUSTER/slurmd.pid")"
  "$here/cluster.sh" --start slurmd
  ends 0
  same_verdicts daemon
  nothing_left
}

check_jobs() {
  long_plan
  begin requeued
  until_true "a case has begun" begun requeued
  scontrol requeue "$(running)"
  ends 0
  says 'was requeued'
  same_verdicts requeued
  nothing_left

  begin cancelled
  until_true "a case has begun" begun cancelled
  scancel "$(running)"
  ends 0
  says 'was lost \(CANCELLED'
  same_verdicts cancelled
  nothing_left

  # Told to end, as before its time limit: what it was in is no failure.
  begin limit
  until_true "a case has begun" begun limit
  # Slurm may call it a failure that the task has ended by then.
  scancel --signal=TERM --batch "$(running)" || true
  ends 0
  says 'was lost \(FAILED, NonZeroExitCode'
  ! grep -q 'its worker died' said || fail "a case that was cut off is told to have failed"
  same_verdicts limit
  nothing_left

  # A worker dies of its case, and not before its first one; the task goes on.
  begin crashed
  until_true "each worker has begun a case" each_has_begun crashed
  pkill -SEGV -o -f "regress worker $work/crashed"
  ends 0
  says 'its worker died \(signal 11 '
  same_verdicts crashed
  nothing_left
}

# Holds a task that waits; the farm releases it.
hold_once() {
  until_true "tasks wait" some_wait
  job=$(jobs_in PD | head -n 1)
  scontrol hold "$job"
  until_true "it is released" grep -q "is held (JobHeld.*): released" said
}
check_held() {
  long_plan
  # Held once, released; held again, it is said and all ends.
  scontrol update NodeName="$node" State=DRAIN Reason="a test's"
  begin held
  hold_once
  scontrol update NodeName="$node" State=RESUME
  ends 0
  same_verdicts held
  nothing_left

  scontrol update NodeName="$node" State=DRAIN Reason="a test's"
  begin again
  hold_once
  scontrol hold "$job"
  ends 3
  says 'is held again, after its release: JobHeld'
  nothing_left
  scontrol update NodeName="$node" State=RESUME
}

check_controller() {
  long_plan
  begin stopped
  until_true "a case has begun" begun stopped
  kill -INT "$controller"
  ends 1
  nothing_left
  says 'not run'
  # What is missing, under the other farm.
  expect 0 "$gradwire" regress long.toml --out stopped
  same_verdicts stopped

  # Killed: no job outlives its patience, and those that wait find nobody.
  begin killed
  until_true "a case has begun" begun killed
  kill -KILL "$controller"
  until_true "no job is left" no_jobs
  until_true "no process is left" no_processes
  expect 0 "$gradwire" regress long.toml --out killed
  same_verdicts killed

  # Killed, and taken up at once under the other farm: its jobs end for that.
  begin taken
  until_true "a case has begun" begun taken
  kill -KILL "$controller"
  expect 0 "$gradwire" regress long.toml --out taken
  nothing_left
  same_verdicts taken

  # The reverse.
  "$gradwire" regress long.toml --out reverse > said 2>&1 &
  controller=$!
  until_true "a worker runs" test -e reverse/shards/000001.json
  kill -KILL "$controller"
  expect 0 "$gradwire" regress long.toml --farm slurm --out reverse
  same_verdicts reverse
  nothing_left

  # Slurm's own controller goes and comes back.
  begin silent
  until_true "a case has begun" begun silent
  kill "$(cat "$CLUSTER/slurmctld.pid")"
  until_true "it is said" grep -q "Slurm does not answer, tasks that run go on: " said
  "$here/cluster.sh" --start slurmctld
  ends 0
  same_verdicts silent
  nothing_left
}

check_refused() {
  long_plan
  # Another build where the task runs: the program is replaced while tasks wait.
  mkdir -p bin share
  cp "$gradwire" bin/gradwire
  ln -sfn "$(dirname "$gradwire")/share/gradwire" share/gradwire
  scontrol update NodeName="$node" State=DRAIN Reason="a test's"
  bin/gradwire regress long.toml --farm slurm --out build > said 2>&1 &
  controller=$!
  until_true "tasks wait" some_wait
  cp bin/gradwire bin/other
  echo >> bin/other
  mv bin/other bin/gradwire
  scontrol update NodeName="$node" State=RESUME
  ends 3
  says "node $node: this is another build of gradwire"
  nothing_left

  # No program there.
  scontrol update NodeName="$node" State=DRAIN Reason="a test's"
  bin/gradwire regress long.toml --farm slurm --out program > said 2>&1 &
  controller=$!
  until_true "tasks wait" some_wait
  rm bin/gradwire
  scontrol update NodeName="$node" State=RESUME
  ends 3
  says "its node cannot start '$work/bin/gradwire' \(exit code 127\)"
  nothing_left

  # The node does not see the folder: another token is there.
  scontrol update NodeName="$node" State=DRAIN Reason="a test's"
  begin shared
  until_true "tasks wait" some_wait
  until_true "the controller has its heartbeat open" test -e shared/slurm/heartbeat
  echo "another 1" > shared/slurm/other
  mv shared/slurm/other shared/slurm/heartbeat
  scontrol update NodeName="$node" State=RESUME
  ends 3
  says "its node does not see '$work/shared' as this machine does"
  nothing_left

  # What Slurm refuses is said in its words.
  sed 's/--comment=.*"/--partition=none"/' long.toml > partition.toml
  expect 3 "$gradwire" regress partition.toml --farm slurm --out partition
  says '^gradwire: Slurm does not take the jobs: .*invalid partition'
  sed 's/--comment=.*"/--array=1-2"/' long.toml > array.toml
  expect 2 "$gradwire" regress array.toml --farm slurm --out array
  says "array.toml:3:11: sbatch's --array is set by regress itself"

  # Without Slurm, and with one that does not answer.
  mkdir -p empty
  expect 2 env PATH="$work/empty" "$gradwire" regress long.toml --farm slurm --out none
  says "^gradwire: --farm slurm needs Slurm's commands, and there is no 'sbatch' in PATH$"
  [[ ! -e none ]] || fail "a folder was made for nothing"
  kill "$(cat "$CLUSTER/slurmctld.pid")"
  until_true "Slurm's controller is gone" eval '! sinfo'
  expect 3 "$gradwire" regress long.toml --farm slurm --out none
  says '^gradwire: Slurm does not answer: '
  [[ $(wc -l < said) == 1 && ! -e none ]] || fail "more than one sentence, or a folder"
}

for check; do
  "check_$check"
  echo "ok   $check"
done
