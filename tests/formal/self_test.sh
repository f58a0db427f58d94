#!/bin/sh
# The proofs themselves: with this Yosys a true property is proved, a false one is not, and none at all is a failure.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/formal"
ln -s "$root/rtl" "$work/rtl"
cp "$root/tests/formal/run.sh" "$work/tests/formal/"
failed=0
wrong() {
  failed=$((failed + 1))
  echo "formal self test: $1"
  sed 's/^/  /' "$work/said"
}
proved() { "$work/tests/formal/run.sh" gw_skid > "$work/said" 2>&1; }

props=$root/tests/formal/gw_skid_props.sv
cp "$props" "$work/tests/formal/"
proved || wrong "what is true is not proved"
grep -q 'all [1-9][0-9]* properties hold' "$work/said" || wrong "the number of properties is not said"

# HoldsTwo, planted: never two.
# shellcheck disable=SC2016 # a macro of SystemVerilog
sed 's/`GW_ASSERT(HoldsTwo, .*/`GW_ASSERT(HoldsOne, held_q != 2'"'"'d2)/' "$props" > "$work/tests/formal/gw_skid_props.sv"
grep -q HoldsOne "$work/tests/formal/gw_skid_props.sv" || wrong "nothing was planted"
if proved; then wrong "what is false is proved"; fi

sed '/`GW_ASSERT(/d' "$props" > "$work/tests/formal/gw_skid_props.sv"
cp -r "$root/rtl/common" "$work/common"
rm "$work/rtl"
mkdir -p "$work/rtl/x"
cp "$work/common/gw_assert.svh" "$work/rtl/x/" && mv "$work/common" "$work/rtl/common"
sed -i '/`GW_ASSERT(/d' "$work/rtl/common/gw_skid.sv"
if proved; then wrong "no property at all passes"; fi
echo "formal self test: $failed failed"
[ $failed -eq 0 ]
