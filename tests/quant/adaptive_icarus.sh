#!/bin/sh
# Icarus makes of gw_adaptive what Verilator made of it, and a wrong line of it is seen: adaptive_icarus.sh quant_adaptive_rtl_test
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "icarus: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GW_ADAPTIVE_VECTORS=$work/vectors "$1" --gtest_filter='*Recorded' > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cp -r "$root/rtl" "$work/rtl"
cd "$work"
said() {
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -Irtl/common -s gw_adaptive_tb -Pgw_adaptive_tb.Rows="$1" -o bench $(cat rtl/quant/gw_adaptive.f) "$root/tests/quant/gw_adaptive_tb.sv"
  timeout 200 vvp -N bench +vectors="vectors.$1" || echo "FAIL: never comes to rest"
}
for rows in 100 1100; do
  answer=$(said $rows)
  echo "Rows $rows: $answer"
  case $answer in PASS*) ;; *) exit 1 ;; esac
done
for mutant in 'gw_adaptive.sv s/residual \& conflict/1'"'"'b0/' 'gw_adaptive_scan.sv s/(~some5 |/(1'"'"'b0 |/' \
    'gw_adaptive_histogram.sv s/next \& {40{~reads0_q}}/next/' 'gw_adaptive.sv s/ \& (histogram_room | raw)//'; do
  file=rtl/quant/${mutant%% *}
  sed -i.right -e "${mutant#* }" "$file"
  ! cmp -s "$file" "$file.right" || { echo "icarus: the mutant changes nothing: $mutant"; exit 1; }
  answer=$(said 100)
  case $answer in PASS*) echo "icarus: not noticed: $mutant"; exit 1 ;; esac
  mv "$file.right" "$file"
done
