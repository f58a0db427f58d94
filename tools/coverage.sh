#!/usr/bin/env bash
# How far simulation reaches: runs of every device with coverage, as the devices' cards name them, their points merged, a report
# a group of devices against the goals.
# coverage.sh [DIR]
# FUNCTIONAL=0 or RTL=0 leaves one of the two halves out; FAMILIES="codec switch" the other groups; JOBS runs at once.
# Needs a build with tests (build/tests/coverage/coverage_directed).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/coverage}
families=${FAMILIES:-$(tools/cards.py groups)}
export gradwire=$PWD/build/gradwire
directed=$PWD/build/tests/coverage/coverage_directed
for program in "$gradwire" "$directed"; do
  [ -x "$program" ] || { echo "coverage: $program is not built (tools/build.sh)" >&2; exit 1; }
done
for family in $families; do
  [[ " $(tools/cards.py groups) " == *" $family "* ]] || { echo "coverage: there is no group '$family'" >&2; exit 1; }
done
rm -rf "$out"
mkdir -p "$out"
begin=$SECONDS

# run_all KINDS NAME: the runs of the standard input, several at once, a file of points each.
run_all() {
  nl -w1 -s' ' | kinds=$1 points=$out/$2 xargs -P "${JOBS:-$(nproc)}" -d '\n' -I{} bash -c '
    set -- $1
    number=$1
    shift
    "$gradwire" run "$@" --quiet --coverage "$kinds" --coverage-out "$points-$number.json" \
      || { echo "coverage: failed: gradwire run $*" >&2; exit 255; }' coverage {}
}

# shares NAME FAMILY GOAL...: the report of NAME.FAMILY, and whether each goal is met.
shares() {
  local name=$1 family=$2 goals=() waivers=tests/coverage/waivers/$2.toml
  shift 2
  [ -f "$waivers" ] && goals=(--waivers "$waivers")
  for goal in "$@"; do goals+=(--goal "$goal"); done
  echo "== $family ($name)"
  "$gradwire" coverage report --json "$out/$name.$family.report.json" "${goals[@]}" \
    "$out/$name.$family.merged.json" || failed=1
}

half() {
  local name=$1 kinds=$2 product=$3 family
  for family in $families; do
    # Processing elements are copies of one another: of their lines and bits, two stand for all.
    tools/cards.py coverage "$family" "$product" | sed -E "$([ "$product" = whole ] || echo 's/^(optimizer|switch) /&--pes 2 /')" | run_all "$kinds" "$name.$family"
    # shellcheck disable=SC2046  # a word a device
    "$directed" "$kinds" "$out/$name.$family-directed.json" $(tools/cards.py devices "$family")
    "$gradwire" coverage merge --out "$out/$name.$family.merged.json" "$out/$name.$family"-*.json
    echo "coverage: $family, $kinds: $((SECONDS - begin)) s so far"
  done
}

if [ "${FUNCTIONAL:-1}" = 1 ]; then
  half functional functional whole
  for family in $families; do shares functional "$family" functional=100; done
fi
if [ "${RTL:-1}" = 1 ]; then
  half rtl line,user,toggle turns
  for family in $families; do shares rtl "$family" line=98 toggle=95; done
  "$gradwire" coverage merge --out "$out/rtl.merged.json" "$out"/rtl.*.merged.json
  "$gradwire" coverage report --info "$out/merged.info" "$out/rtl.merged.json" > "$out/rtl.report.txt"
fi
echo "coverage: $((SECONDS - begin)) s"
exit "${failed:-0}"
