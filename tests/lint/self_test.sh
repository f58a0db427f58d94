#!/bin/sh
# The lint itself: a clean cell passes with these tools, and each of them finds what is planted for it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools/lint" "$work/rtl/common" "$work/rtl/planted"
cp "$root/tools/cards.py" "$work/tools/"
(cd "$root" && cp --parents testbenches/*/*.toml "$work")
cp "$root/tools/lint/lint.sh" "$root/tools/lint/style.py" "$root/tools/lint/waivers.txt" "$work/tools/lint/"
cp "$root/rtl/common/gw_assert.svh" "$root/rtl/common/gw_skid.sv" "$work/rtl/common/"
echo rtl/planted/gw_planted.sv > "$work/rtl/planted/gw_planted.f"

# planted BODY: a module with a_i, y_o and BODY.
planted() {
  printf 'module gw_planted (input wire logic [1:0] a_i, output wire logic y_o);\n  %s\nendmodule\n' "$1" \
    > "$work/rtl/planted/gw_planted.sv"
  "$work/tools/lint/lint.sh" > "$work/said" 2>&1
}
status=0
"$work/tools/lint/lint.sh" --help > "$work/said" 2>&1 || status=$?
[ $status -eq 2 ] || { echo "lint: an option that it does not have is ignored"; exit 1; }
failed=0
wrong() {
  failed=$((failed + 1))
  echo "lint self test: $1"
  sed 's/^/  /' "$work/said"
}

# shellcheck disable=SC2016 # SystemVerilog
clean='assign y_o = ^a_i;'
planted "$clean" || wrong "a clean module does not pass"
if planted 'wire [2:0] sum = {1'"'"'b0, a_i} + 4'"'"'d3; assign y_o = ^sum;' || ! grep -q '^lint: verilator gw_planted failed' "$work/said"; then
  wrong "Verilator's warning of a width is not found"
fi
if planted 'assign y_o = ^a_i & missing;' || ! grep -q '^lint: iverilog gw_planted failed' "$work/said"; then
  wrong "Icarus' error of a name is not found"
fi
if planted 'wire loop; assign loop = a_i[0] & ~loop; assign y_o = loop ^ a_i[1];' ||
  ! grep -q '^lint: yosys gw_planted failed' "$work/said"; then
  wrong "Yosys' warning of a loop is not found"
fi
echo "lint self test: $failed of 4 failed"
[ $failed -eq 0 ]
