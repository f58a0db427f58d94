#!/bin/sh
# Icarus makes of gw_threshold what Verilator made of it, and a wrong line of it is seen: threshold_icarus.sh quant_threshold_rtl_test
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "icarus: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GW_THRESHOLD_VECTORS=$work/vectors "$1" --gtest_filter='*Recorded' > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cp -r "$root/rtl" "$work/rtl"
cd "$work"
said() {
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -Irtl/common -s gw_threshold_tb -o bench $(cat rtl/quant/gw_threshold.f) "$root/tests/quant/gw_threshold_tb.sv"
  timeout 300 vvp -N bench +vectors=vectors || echo "FAIL: never comes to rest"
}
answer=$(said)
echo "$answer"
case $answer in PASS*) ;; *) exit 1 ;; esac
for mutant in 'gw_threshold.sv s/first \& rice \& k_conflict/1'"'"'b0/' 'gw_threshold_values.sv s/ : clipped_q\[5\] ? / : 1'"'"'b0 ? /' \
    'gw_threshold_code.sv s/since_q \& {20{~first_i}}/since_q/'; do
  file=rtl/quant/${mutant%% *}
  sed -i.right -e "${mutant#* }" "$file"
  ! cmp -s "$file" "$file.right" || { echo "icarus: the mutant changes nothing: $mutant"; exit 1; }
  answer=$(said)
  case $answer in PASS*) echo "icarus: not noticed: $mutant"; exit 1 ;; esac
  mv "$file.right" "$file"
done
