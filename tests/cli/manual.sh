#!/usr/bin/env bash
# The manual page and the completion say what the command line takes: manual.sh GRADWIRE
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=$1
fail() { echo "manual: $1"; exit 1; }

page=$("$program" manual)
[[ $page == ".TH GRADWIRE 1 "* ]] || fail "the page does not begin with its title"
plain=${page//\\-/-}
for command in list run bench sweep train trace codec live regress mutate replay; do
  [[ $plain == *".SS gradwire $command"* ]] || fail "the page has no command '$command'"
  # Every long option of the help stands on the page.
  while read -r option; do
    [[ $plain == *"$option"* ]] || fail "the page has no $option of $command"
  done < <("$program" "$command" --help | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | grep -vx -- --help)
done
for device in $("$program" list --json | python3 -c 'import json,sys; print(*[d["name"] for d in json.load(sys.stdin)["devices"]])'); do
  [[ $plain == *".SS $device"* ]] || fail "the page has no device '$device'"
done
# A line that begins with a dot is a request; all of them are known.
wrong=$(grep -E '^\.' <<< "$page" | grep -vE '^\.(TH|SH|SS|TP|B|I|RI|BR)( |$)' || true)
[[ -z $wrong ]] || fail "unknown requests: $wrong"
if command -v groff > /dev/null; then
  warned=$(groff -man -Tutf8 -ww <<< "$page" 2>&1 > /dev/null | grep -v "cannot adjust line" || true)
  [[ -z $warned ]] || fail "groff says: $warned"
fi

# shellcheck source=/dev/null # made by the program
source <("$program" completion bash)
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gradwire; printf '%s\n' "${COMPREPLY[@]}"; }
expect() {  # WORD ARGUMENTS...
  local word=$1
  shift
  complete_words "$@" | grep -qx -- "$word" || fail "'$*' is not completed by $word"
}
expect run gradwire r
expect regress gradwire re
expect compressor gradwire run comp
expect --line-rate gradwire run --line
expect --bound gradwire run compressor --bo
expect --pes gradwire run switch --p
! complete_words gradwire run switch --bo | grep -q . || fail "the switch has no --bound"
[[ -z $(complete_words gradwire nothing --x) ]] || fail "an unknown command is completed"
echo "manual: ok"
