# shellcheck shell=bash
# For scripts that start other programs and end them in order. A shell that traps a signal in `wait` loses the exit code of a child that dies
# of the same signal, as with Ctrl-C, and waits for ever. So these look, and ignore Ctrl-C: the terminal signals the programs itself.
# SPDX-License-Identifier: Apache-2.0

exec {never}<> <(:) # nobody writes into it

# nap: a twentieth of a second, without a process of its own
nap() { read -r -t 0.05 -u "$never" || true; }

alive() { kill -0 "$1" 2> /dev/null; }

# begun_by PID: the processes that PID has begun
begun_by() {
  local file line
  for file in /proc/[0-9]*/stat; do
    { read -r line < "$file"; } 2> /dev/null || continue
    if [[ ${line##*) } == [A-Z]" $1 "* ]]; then echo "${line%% *}"; fi
  done
}

# until_over PID [inside]: waits for a process that was started in the background, with its exit code, and passes SIGTERM and SIGHUP on to
# it; inside: to the processes that it has begun, for one that takes no signals itself
until_over() {
  local code=0 pass="" to
  trap '' INT
  trap 'pass=yes' TERM HUP
  while alive "$1"; do
    nap
    [[ -n $pass ]] || continue
    pass=""
    for to in $([[ ${2:-} == inside ]] && begun_by "$1" || echo "$1"); do kill -TERM "$to" 2> /dev/null || true; done
  done
  wait "$1" || code=$?
  trap - INT TERM HUP
  return "$code"
}
