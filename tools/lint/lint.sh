#!/bin/sh
# Lints the cells and every RTL top with Verilator, Icarus and Yosys; any warning that waivers.txt does not name fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -eq 0 ] || { echo "lint: '$1' is not understood; tools/lint/lint.sh has no options and lints all of rtl" >&2; exit 2; }

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
for tool in verilator iverilog yosys python3; do
  command -v $tool >/dev/null || { echo "lint: $tool is not installed; on Debian: apt-get install $tool" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -v -e '^#' -e '^$' tools/lint/waivers.txt > "$work/waivers" || true
passed=0
failed=0

# check NAME COMMAND...: whatever the tool says, less what is waived, must be nothing.
check() {
  name=$1
  shift
  status=0
  "$@" > "$work/said" 2>&1 || status=$?
  grep -v -E -f "$work/waivers" "$work/said" > "$work/left" || true
  if [ $status -eq 0 ] && [ ! -s "$work/left" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "lint: $name failed (exit code $status)"
    sed 's/^/  /' "$work/said"
  fi
}

# lint TOP[:Parameter=value] SOURCE...
lint() {
  entry=$1
  top=${entry%%:*}
  parameter=""; value=""
  case $entry in *:*) parameter=${entry#*:}; value=${parameter#*=}; parameter=${parameter%%=*} ;; esac
  shift
  check "verilator $entry" verilator --lint-only -Wall -Irtl/common --top-module "$top" ${parameter:+"-G$parameter=$value"} "$@"
  check "iverilog $entry" iverilog -g2012 -Wall -Irtl/common -t null -s "$top" ${parameter:+"-P$top.$parameter=$value"} "$@"
  # Yosys needs a minute to look at 32 processing elements one by one: it sees that many in one top, and two in those around it, not
  # all 32 as it reads them (-defer).
  case $top in
    gw_switch) return ;; # it is all of gw_switch_ports
    gw_switch_ports | gw_switch_axil | gw_optimizer_axil) few="-chparam Pes 2" ;;
    gw_optimizer_array) few="-chparam Lanes 2" ;;
    *) few="" ;;
  esac
  check "yosys $entry" yosys -qq -e 'implicitly declared' \
    -p "read_verilog ${few:+-defer} -sv -Irtl/common $*; hierarchy -check -top $top $few ${parameter:+-chparam $parameter $value}; proc; flatten; opt_clean; check -assert"
}

check "style" python3 tools/lint/style.py rtl/*/*.sv rtl/*/*.svh
python3 tools/cards.py get lint > "$work/configurations"
for list in rtl/*/*.f; do
  # shellcheck disable=SC2046 # a list of files
  lint "$(basename "$list" .f)" $(cat "$list")
  # Other configurations, as the device's card names them.
  device=$(basename "$list" .f)
  others=$(sed -n "s/^${device#gw_} [a-z]* //p" "$work/configurations")
  # shellcheck disable=SC2046
  for setting in $others; do lint "$device:$setting" $(cat "$list"); done
done
for cell in rtl/common/*.sv; do
  lint "$(basename "$cell" .sv)" "$cell"
done

echo "lint: $passed checks passed, $failed failed"
[ $failed -eq 0 ]
