#!/bin/sh
# What tools/lint/style.py must refuse, and what it must let pass: one module each.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# try WANTED BODY: WANTED is what the message says, empty if nothing must be said.
try() {
  printf '`default_nettype none\nmodule m (input wire logic [7:0] a_i, output logic [7:0] y_o);\n%s\nendmodule\n' "$2" \
    > "$work/m.sv"
  status=0
  python3 "$root/tools/lint/style.py" "$work/m.sv" > "$work/said" || status=$?
  if [ -z "$1" ]; then
    [ $status -eq 0 ] && [ ! -s "$work/said" ] && return
  elif [ $status -eq 1 ] && [ "$(wc -l < "$work/said")" -eq 1 ] && grep -qF "m.sv:3: $1" "$work/said"; then
    return
  fi
  failed=$((failed + 1))
  echo "style: wanted '$1' of: $2"
  sed 's/^/  got: /' "$work/said"
}

try "context-sized literal '1 as an argument" "assign y_o = pkg::stay_up('1, a_i[2:0]);"
try "context-sized literal '0 as an argument" "leaf u_leaf (.a_i('0), .y_o);"
try "context-sized literal '1 in a concatenation" "assign y_o = {a_i[3:0], '1};"
try "context-sized literal 'x in a concatenation" "assign y_o = {2{(a_i[0] ? 'x : a_i[3:0])}};"
try "'late' is used before it is declared" "assign y_o = {8{late}}; wire late = a_i[0];"
try "'late' is used before it is declared" "leaf u_leaf (.late); logic [1:0] early, late;"
try "memory 'row_memory' does not say" "logic [7:0] row_memory [0:15];"
columns_109="assign y_o = a_i;  // $(printf '%087d' 0)"
try "the line has 111 columns" "${columns_109}00"
try "" "${columns_109}0"
try "" "assign y_o = a_i[0] ? '1 : '0;"
try "" "always_comb if (a_i == '1) y_o = '0;"
try "" "assign y_o = pkg::stay_up({8{1'b1}}, a_i[2:0]);  // not '1 as in f('1)"
try "" "leaf u_leaf (.late(a_i)); wire late = a_i[0];"
try "" "(* ram_style = \"block\" *) logic [7:0] row_memory [0:15];"

[ $failed -eq 0 ] && echo "style: all cases as wanted"
