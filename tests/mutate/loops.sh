#!/bin/sh
# Netlists with mutants have no combinational loops: a mutant on one bit of a word, which looks at another one, is none to a simulator.
# loops.sh VERILATOR SOURCE_FOLDER FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
verilator=$1 rtl=$2/rtl netlist=$2/tools/synth/netlist.sh folder=$3
mkdir -p "$folder"
cd "$folder"
found=0
# check TOP SOURCE...: a block with a memory, words and outputs that are looked at inside.
check() {
  top=$1
  shift
  "$netlist" --top "$top" --cells words --mutants 60:1 --wake 1:60 --list "$top.list" --verilog "$top.v" "-I$rtl/common" "$@"
  if [ "$(wc -l < "$top.list")" -ne 60 ] || ! grep -q gw_mutant_i "$top.v"; then
    echo "loops: $top has no mutants"
    exit 1
  fi
  "$verilator" --lint-only -Wno-fatal -Wno-lint -Wwarn-UNOPTFLAT --top-module "$top" "$top.v" > "$top.said" 2>&1 ||
    { cat "$top.said"; exit 1; }
  loops=$(grep -c UNOPTFLAT "$top.said" || true)
  echo "loops: $top: $loops"
  [ "$loops" -eq 0 ] || { cat "$top.said"; found=1; }
}
check gw_packet_queue "$rtl/switch/gw_packet_queue.sv" "$rtl/common/gw_fifo.sv" "$rtl/common/gw_fifo_head.sv"
check gw_fifo_head "$rtl/common/gw_fifo_head.sv"
check gw_fifo_2w "$rtl/common/gw_fifo_2w.sv"
check gw_nic_tx_flows "$rtl/nic/gw_nic_tx_flows.sv"
exit $found
