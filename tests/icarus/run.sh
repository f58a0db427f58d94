#!/bin/sh
# Replays recorded cycles on a device's RTL in Icarus: run.sh DEVICE VECTORS [BUILD_DIR]
# The last line is 'PASS cycles=N' or 'FAIL cycle=.. signal=.. got=.. expected=..'; the exit code says the same.
set -eu

[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: $0 compressor|decompressor|parser|aggregator|optimizer VECTORS [BUILD_DIR]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
device=$1
vectors=$2
build=${3:-$root/out/icarus}
tb=testbenches/$device/gw_${device}_replay_tb.sv

command -v iverilog >/dev/null || { echo "icarus: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
[ -f "$root/$tb" ] || { echo "icarus: no device '$device' (no $tb)" >&2; exit 2; }
[ -r "$vectors" ] || { echo "icarus: cannot read $vectors" >&2; exit 2; }
case $vectors in /*) ;; *) vectors=$PWD/$vectors ;; esac

mkdir -p "$build"
case $build in /*) ;; *) build=$PWD/$build ;; esac
program=$build/gw_${device}_replay_tb.vvp
cd "$root"
if [ ! -f "$program" ] || [ -n "$(find rtl testbenches/common "$tb" -newer "$program" -name '*.sv*' -print -quit)" ]; then
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -Wall -Irtl/common -Itestbenches/common -s "gw_${device}_replay_tb" -o "$program.$$" \
    $(cat rtl/*/"gw_$device.f") "$tb"
  mv "$program.$$" "$program"  # at once: runs may share the directory
fi
exec vvp -n "$program" "+vectors=$vectors"
