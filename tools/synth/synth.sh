#!/bin/sh
# Area and longest-path estimate of an RTL top on a Virtex-7 (XC7VX690T-2).
# How the netlist is made: netlist.sh.
# SPDX-License-Identifier: Apache-2.0
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
      parameters="$parameters --set $2"
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
cd "$root"
# shellcheck disable=SC2046,SC2086 # lists
tools/synth/netlist.sh --top "$top" --cells xc7 $parameters --json "$netlist" --log "$log" -Irtl/common \
  $(grep '[.]sv$' "$list") >/dev/null || { echo "synth: yosys failed, see $log" >&2; exit 1; }
exec python3 tools/synth/estimate.py "$netlist" "$top" ${json:+--json "$json"}
