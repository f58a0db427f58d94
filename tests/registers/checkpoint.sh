#!/bin/sh
# Checkpoint, restore and a job's reset over AXI4-Lite, in Icarus: checkpoint.sh ALGORITHM [FILE SED]...
# Each pair changes a file of the RTL; the bench must then fail.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "registers: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
algorithm=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/rtl" "$work/rtl"
cd "$work"
bench() {
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -DALGORITHM="$algorithm" -Irtl/common -s bench -o bench $(cat rtl/registers/gw_optimizer_axil.f) \
    "$root/tests/registers/checkpoint_bench.sv"
  vvp -N bench
}
bench
while [ $# -gt 0 ]; do
  cp -r "$root/rtl" "$work"
  sed -i -e "$2" rtl/*/"$1"
  ! cmp -s rtl/*/"$1" "$root"/rtl/*/"$1" || { echo "registers: the mutant changes nothing: $2"; exit 1; }
  ! bench > said 2>&1 || { echo "registers: the wrong one is not noticed: $2"; exit 1; }
  echo "registers: the wrong one is noticed: $(head -n 1 said)"
  shift 2
done
