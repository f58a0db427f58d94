#!/bin/sh
# Makes netlists of tops (tools/synth/netlist.sh, generic cells) and runs each in lockstep
# with its RTL in Verilator, on a bench of random vectors and resets: run.sh [TOP[:Parameter=value]...]; without arguments, the
# FP operators (the codec's tops and arrays are slow tests).
# CELLS=xc7: a Virtex-7's cells, as Yosys models them, in the place of generic ones.
# MUTATE='sed expression' changes the RTL that is synthesised, not the one beside it: the comparison must then fail.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/out/netlist}
cycles=${CYCLES:-40000}
cells=${CELLS:-generic}
cd "$root"
for tool in yosys verilator python3; do
  command -v $tool >/dev/null || { echo "netlist: $tool is not installed; on Debian: apt-get install $tool" >&2; exit 1; }
done
objcache=$(command -v ccache || true)  # Verilator's runtime is the same for all
[ $# -gt 0 ] || set -- gw_fp_add gw_fp_mul gw_fp_div gw_fp_sqrt gw_fp_compare gw_fp_divsqrt_iterative

passed=0
failed=0
for entry in "$@"; do
  top=${entry%%:*}
  work=$build/$cells/$(printf '%s' "$entry" | tr ':=' '-_')
  rm -rf "$work"
  mkdir -p "$work/rtl"
  sources=$(cat rtl/*/"$top.f")
  set_parameters=""
  parameters=""
  [ "$entry" = "$top" ] || for setting in $(printf '%s' "${entry#*:}" | tr ':' ' '); do
    set_parameters="$set_parameters --set $setting"
    parameters="$parameters${parameters:+, }.${setting%%=*}(${setting#*=})"
  done
  for file in $sources; do
    sed -e "${MUTATE:-}" "$file" > "$work/rtl/$(basename "$file")"
  done
  # shellcheck disable=SC2046,SC2086 # lists of files
  if tools/synth/netlist.sh --top "$top" --name "${top}_netlist" --cells "$cells" $set_parameters \
        --verilog "$work/netlist.v" --models "$work/models.f" --json "$work/netlist.json" --log "$work/yosys.log" -Irtl/common \
        $(for file in $sources; do echo "$work/rtl/$(basename "$file")"; done) > "$work/yosys.out" 2>&1 &&
      python3 tests/netlist/bench.py "$top" "$work/netlist.json" "$cycles" "$parameters" > "$work/bench.sv" &&
      verilator --binary -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN -Wno-UNOPTFLAT -Wno-INITIALDLY -Irtl/common --Mdir "$work/obj" \
        --top-module bench -O3 --output-split 0 -MAKEFLAGS "OPT_FAST=-O0 OPT_GLOBAL=-O0 OBJCACHE=$objcache" -o run "$work/bench.sv" "$work/netlist.v" -f "$work/models.f" \
        tests/netlist/gw_netlist_source.sv \
        $sources > "$work/verilator.log" 2>&1 &&
      "$work/obj/run" > "$work/run.log" 2>&1 &&
      grep -q ": 0 differences in $cycles cycles, [a-z_]* not 0 in [1-9]" "$work/run.log"; then
    passed=$((passed + 1))
    echo "netlist: $entry: $(sed -n 's/^gw_[a-z_0-9]*: //p' "$work/run.log")"
  else
    failed=$((failed + 1))
    echo "netlist: $entry failed, see $work"
    for log in "$work"/*.log "$work/yosys.out"; do
      tail -n 3 "$log" | sed 's/^/  /'
    done
  fi
done
echo "netlist: of $cells cells $passed equal their RTL, $failed do not"
[ $failed -eq 0 ]
