#!/bin/sh
# Area and longest-path estimate of an RTL top on a Virtex-7 (XC7VX690T-2).
# Sums of up to 12 bits go to LUTs, where they are faster; longer ones to carry chains.
set -eu

usage() { echo "usage: $0 TOP [--json FILE] [--build DIR]   (TOP: gw_compressor, gw_decompressor)" >&2; exit 2; }

root=$(cd "$(dirname "$0")/../.." && pwd)
top=""; json=""; build="$root/out/synth"
while [ $# -gt 0 ]; do
  case $1 in
    --json)  [ $# -ge 2 ] || usage; json=$2; shift 2 ;;
    --build) [ $# -ge 2 ] || usage; build=$2; shift 2 ;;
    -*) usage ;;
    *) [ -z "$top" ] || usage; top=$1; shift ;;
  esac
done
[ -n "$top" ] || usage

need() { command -v "$1" >/dev/null || { echo "synth: $1 is not installed; $2" >&2; exit 1; }; }
need yosys   "on Debian: apt-get install yosys"
need python3 "on Debian: apt-get install python3"

list=$(ls "$root"/rtl/*/"$top".f 2>/dev/null) || { echo "synth: no top '$top' (no rtl/*/$top.f)" >&2; exit 1; }

mkdir -p "$build"
netlist="$build/$top.json"
options="-family xc7 -top $top -flatten -abc9 -noiopad -noclkbuf"
cd "$root"
yosys -q -e 'implicitly declared' -l "$build/$top.log" -p "
  read_verilog -sv -Irtl/common $(tr '\n' ' ' < "$list")
  synth_xilinx $options -run begin:map_memory
  maccmap; techmap t:\$alu r:Y_WIDTH<=12 %i
  synth_xilinx $options -run map_memory:
  write_json $netlist" >/dev/null || { echo "synth: yosys failed, see $build/$top.log" >&2; exit 1; }
exec python3 tools/synth/estimate.py "$netlist" "$top" ${json:+--json "$json"}
