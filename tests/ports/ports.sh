#!/bin/sh
# The switch with an AXI4-Stream for each physical port, in lockstep with the switch's model; a wrapper that is wrong must
# be noticed: ports.sh GRADWIRE CACHE FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
gradwire=$1 cache=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$folder"
cd "$folder"

# run PORTS.sv OPTION...: the switch with this wrapper.
run() {
  wrapper=$1
  shift
  {
    echo "+incdir+$root/rtl/common"
    grep -v 'gw_switch_ports[.]sv$' "$root/rtl/switch/gw_switch_ports.f" | sed "s|^|$root/|"
    echo "$wrapper"
    echo "$here/gw_switch_flat.sv"
  } > flat.f
  "$gradwire" run switch --rtl flat.f --top gw_switch_flat --cache "$cache" --algorithm adagrad --pes 1 --kind iterative --profile fast \
    --subnormal 1 --packets 400 --quick-build --quiet "$@"
}

right=$root/rtl/switch/gw_switch_ports.sv
run "$right" --synth irregular --seed 1 --stall both:30 --json report.json
run "$right" --synth irregular --seed 2
cycles=$(sed -n 's/.*"lockstep_cycles": *\([0-9]*\).*/\1/p' report.json)
[ "$cycles" -gt 1000 ]
echo "ports: equal in $cycles cycles"

# wrong WHAT SED: it is noticed.
wrong() {
  sed "$2" "$right" > wrong.sv
  if cmp -s "$right" wrong.sv; then echo "sed finds no line for $1"; exit 1; fi
  status=0
  run "$folder/wrong.sv" --synth irregular --seed 1 --stall both:30 > said 2>&1 || status=$?
  if [ $status -ne 1 ]; then echo "$1: exit code $status instead of 1"; cat said; exit 1; fi
  echo "ports: $1 is noticed"
}
wrong "two ports' tkeep crossed" 's/{s3_axis_tkeep, s2_axis_tkeep/{s2_axis_tkeep, s3_axis_tkeep/'
wrong "two ports' m_axis_tready crossed" 's/m1_axis_tready, m0_axis_tready/m0_axis_tready, m1_axis_tready/'
wrong "a parameter that is not handed on" 's/ [.]Subnormal(Subnormal),//'
