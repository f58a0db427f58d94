#!/bin/sh
# The proofs themselves: with this Yosys and its ABC a true property is proved, a false one is not, and none at all is a failure; nor is a
# cover passed over that is not reached, a mutant that is not refuted, a search that says nothing.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/formal"
ln -s "$root/rtl" "$work/rtl"
cp "$root/tests/formal/gw_never.sv" "$work/tests/formal/"
# plant EXPRESSION: run.sh, as sed changes it.
plant() {
  sed "$1" "$root/tests/formal/run.sh" > "$work/tests/formal/run.sh"
  chmod +x "$work/tests/formal/run.sh"
  [ -z "$1" ] || ! cmp -s "$root/tests/formal/run.sh" "$work/tests/formal/run.sh" || wrong "nothing was planted: $1"
}
failed=0
wrong() {
  failed=$((failed + 1))
  echo "formal self test: $1"
  sed 's/^/  /' "$work/said"
}
proved() { "$work/tests/formal/run.sh" gw_skid > "$work/said" 2>&1; }

steps='s/^    gw_skid) /&steps=6; /'
props=$root/tests/formal/gw_skid_props.sv
plant ""
cp "$props" "$work/tests/formal/"
proved || wrong "what is true is not proved"
grep -q 'all [1-9][0-9]* properties hold' "$work/said" || wrong "the number of properties is not said"

# The same as a device is proved: for some cycles.
plant "$steps"
proved || wrong "what is true is not found to hold for some cycles"
grep -q 'properties hold for 6 cycles' "$work/said" || wrong "the number of cycles is not said"
mkdir "$work/bin"
printf '#!/bin/sh\necho "No output asserted in 0 frames."\n' > "$work/bin/yosys-abc"
chmod +x "$work/bin/yosys-abc"
if (PATH=$work/bin:$PATH; proved); then wrong "what nobody looked for holds"; fi
grep -q 'formal: gw_skid failed' "$work/said" || wrong "what nobody looked for is said to hold"
plant ""

sed 's/\(wire \[1:0\] covers = {\).*/\11'"'"'b0, held_q == 2'"'"'d2};/' "$props" > "$work/tests/formal/gw_skid_props.sv"
if proved; then wrong "a cover that is not reached passes"; fi
grep -q 'of 2 covers 1 are reached' "$work/said" || wrong "the cover is not told"
cp "$props" "$work/tests/formal/"
plant 's/^    gw_skid) /&covers=1; /'
if proved; then wrong "a cover that run.sh does not count passes"; fi
plant 's/^\(    gw_skid) .*mutant=\).*/\1"s|^module gw_skid|\&|; s|endmodule|\& \/\/|" ;;/'
if proved; then wrong "a mutant that is not refuted passes"; fi
grep -q 'is not refuted' "$work/said" || wrong "the mutant is not told"
plant ""

# HoldsTwo, planted: never two.
# shellcheck disable=SC2016 # a macro of SystemVerilog
sed 's/`GW_ASSERT(HoldsTwo, .*/`GW_ASSERT(HoldsOne, held_q != 2'"'"'d2)/' "$props" > "$work/tests/formal/gw_skid_props.sv"
grep -q HoldsOne "$work/tests/formal/gw_skid_props.sv" || wrong "nothing was planted"
if proved; then wrong "what is false is proved"; fi
plant "$steps"
if proved; then wrong "what is false holds for some cycles"; fi
grep -q 'formal: gw_skid failed' "$work/said" || wrong "what is false is not told"
plant ""

sed '/`GW_ASSERT(/d' "$props" > "$work/tests/formal/gw_skid_props.sv"
cp -r "$root/rtl/common" "$work/common"
rm "$work/rtl"
mkdir -p "$work/rtl/x"
cp "$work/common/gw_assert.svh" "$work/rtl/x/" && mv "$work/common" "$work/rtl/common"
sed -i '/`GW_ASSERT(/d' "$work/rtl/common/gw_skid.sv"
if proved; then wrong "no property at all passes"; fi
echo "formal self test: $failed failed"
[ $failed -eq 0 ]
