#!/bin/sh
# Counters near their end, in Icarus: wrap.sh. A counter that saturates must be noticed.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "wrap: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/rtl" "$work/rtl"
cd "$work"
sources=$(cat rtl/codec/gw_compressor.f rtl/codec/gw_decompressor.f rtl/switch/gw_switch.f rtl/switch/gw_aggregator.f \
  rtl/switch/gw_optimizer.f | awk '!seen[$0]++')
files=$(echo "$sources" | grep -v _pkg)
packages=$(echo "$sources" | grep _pkg)
said() {
  # shellcheck disable=SC2086 # lists of files
  iverilog -g2012 -Irtl/common -s gw_wrap_tb -o bench $packages $files "$root/tests/icarus/gw_wrap_tb.sv" 2> warnings \
    || { cat warnings; exit 1; }
  vvp -N bench
}
right=$(said)
echo "$right"
[ "$right" = PASS ]
for mutant in 'codec/gw_compressor.sv s/tuser) error_count_o/tuser \&\& ~\&error_count_o) error_count_o/' \
    'switch/gw_lookup.sv s/flooded_o + {31.d0, valid3_q \&\& !hit}/flooded_o + {31'"'"'d0, valid3_q \&\& !hit \&\& ~\&flooded_o}/' \
    'switch/gw_aggregation.sv s/count_q <= count_q + 32.d1/count_q <= count_q + {31'"'"'d0, ~\&count_q}/' \
    'switch/gw_optimization.sv s/iterations_q + {31.d0, begins}/iterations_q + {31'"'"'d0, begins \&\& ~\&iterations_q}/'; do
  file=rtl/${mutant%% *}
  sed -i.right -e "${mutant#* }" "$file"
  ! cmp -s "$file" "$file.right" || { echo "wrap: the mutant changes nothing: $mutant"; exit 1; }
  wrong=$(said)
  [ "$wrong" != PASS ] || { echo "wrap: not noticed: $mutant"; exit 1; }
  echo "noticed: $wrong"
  mv "$file.right" "$file"
done
