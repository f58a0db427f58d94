#!/bin/sh
# The register blocks as their descriptions say, in Icarus: run.sh NAME MUTANT PARAMETER=VALUE...
# MUTANT, "FILE SED" or empty, changes a file of the RTL; the same bench must then fail.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "registers: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
cd "$root"
name=$1
mutant=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tests/registers/bench.py "$name" "$@" > "$work/bench.sv"
# shellcheck disable=SC2046 # a list of files
iverilog -g2012 -Irtl/common -s bench -o "$work/bench" $(cat "rtl/registers/gw_${name}_axil.f") "$work/bench.sv"
vvp -N "$work/bench"
[ -n "$mutant" ] || exit 0

file=${mutant%% *}
mkdir -p "$work/tree"
cp -r rtl "$work/tree"
sed -i -e "${mutant#* }" "$work"/tree/rtl/*/"$file"
! cmp -s "$work"/tree/rtl/*/"$file" rtl/*/"$file" || { echo "registers: the mutant changes nothing"; exit 1; }
cd "$work/tree"
# shellcheck disable=SC2046
iverilog -g2012 -Irtl/common -s bench -o "$work/bench" $(cat "rtl/registers/gw_${name}_axil.f") "$work/bench.sv"
if timeout 300 vvp -N "$work/bench" > "$work/said" 2>&1; then
  echo "registers: the wrong one is not noticed: $mutant"
  exit 1
fi
echo "registers: the wrong one is noticed: $(head -n 1 "$work/said")"
