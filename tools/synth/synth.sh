#!/bin/sh
# Area and longest-path estimate of an RTL top on a Virtex-7 (XC7VX690T-2).
# Sums of up to 12 bits go to LUTs, where they are faster; longer ones to carry chains. `hierarchy` behind the memories gives
# block RAM its ports' widths, which Yosys 0.23 leaves wrong, and abc9 then fails.
set -eu

usage() {
  echo "usage: $0 TOP [--set Parameter=value]... [--json FILE] [--build DIR]   (TOP: a list rtl/*/TOP.f)" >&2
  exit 2
}

root=$(cd "$(dirname "$0")/../.." && pwd)
top=""; json=""; build="$root/out/synth"; parameters=""; suffix=""
while [ $# -gt 0 ]; do
  case $1 in
    --set)
      [ $# -ge 2 ] || usage
      case $2 in *=*) ;; *) usage ;; esac
      parameters="$parameters -chparam ${2%%=*} ${2#*=}"
      suffix="$suffix-${2%%=*}${2#*=}"
      shift 2 ;;
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
netlist="$build/$top$suffix.json"
log="$build/$top$suffix.log"
options="-family xc7 -top $top -flatten -abc9 -noiopad -noclkbuf"
cd "$root"
yosys -q -e 'implicitly declared' -w 'Resizing cell port' -w 'Replacing memory' -l "$log" -p "
  read_verilog -sv -Irtl/common $(grep '[.]sv$' "$list" | tr '\n' ' ')
  hierarchy -top $top $parameters; rename -top $top
  synth_xilinx $options -run begin:map_memory
  maccmap; techmap t:\$alu r:Y_WIDTH<=12 %i
  synth_xilinx $options -run map_memory:map_ffram
  hierarchy -top $top
  synth_xilinx $options -run map_ffram:
  write_json $netlist" >/dev/null || { echo "synth: yosys failed, see $log" >&2; exit 1; }
exec python3 tools/synth/estimate.py "$netlist" "$top" ${json:+--json "$json"}
