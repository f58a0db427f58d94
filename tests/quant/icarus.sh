#!/bin/sh
# Icarus makes of gw_NAME what Verilator made of it, and a wrong line of it is seen: icarus.sh NAME quant_NAME_rtl_test
# SPDX-License-Identifier: Apache-2.0
set -eu
name=$1 test=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "icarus: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
# What the test records: for so many rows of residuals, settings in the bits of one word (ChunkBench::settings). Then wrong lines: file, sed.
case $name in
  mx)
    recorded='0 100'
    settings='.format_i(settings[1:0]), .scale_i(settings[2]), .residual_i(settings[3])'
    set -- 'gw_mx_issue.sv s/residual \& conflict/1'"'"'b0/' 'gw_mx_pkg.sv s/ ^ {24{up}}//' 'gw_mx_gather.sv s/\& ~item_opens/\& ~item_first/'
    ;;
  threshold)
    recorded=100
    settings='.threshold_i(settings[31:0]), .method_i(settings[33:32]), .coding_i(settings[34]), .residual_i(settings[35])'
    set -- 'gw_threshold.sv s/first \& rice \& k_conflict/1'"'"'b0/' 'gw_threshold_values.sv s/ : clipped_q\[5\] ? / : 1'"'"'b0 ? /' \
      'gw_threshold_code.sv s/since_q \& {20{~first_i}}/since_q/'
    ;;
  onebit)
    recorded='100 1100'
    settings='.residual_i(settings[0])'
    set -- 'gw_onebit.sv s/residual \& conflict/1'"'"'b0/' 'gw_onebit_in_flight.sv s/turns_before | turns_now/turns_before/' \
      'gw_onebit_pkg.sv s/half \& (more/half | (more/' 'gw_onebit_buffer.sv s/beside_q ? word_q : //'
    ;;
  adaptive)
    recorded='100 1100'
    settings='.p_i(settings[3:0]), .coding_i(settings[4]), .residual_i(settings[5])'
    set -- 'gw_adaptive.sv s/residual \& conflict/1'"'"'b0/' 'gw_adaptive_scan.sv s/(~some5 |/(1'"'"'b0 |/' \
      'gw_adaptive_histogram.sv s/word \& {23{~reads0_q}}/word/' 'gw_adaptive_histogram.sv s/old\[19:0\] \& {20{~above}}/old[19:0]/' \
      'gw_adaptive_scan.sv s/ \& ~odd_pair\[9\] \& odd_pair\[8:1\] != 8.d0//' 'gw_adaptive.sv s/ \& (histogram_room | raw)//'
    ;;
  *)
    echo "icarus: no quantiser is called '$name'" >&2
    exit 1
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GW_VECTORS=$work/vectors "$test" --gtest_filter='*Recorded' > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cp -r "$root/rtl" "$work/rtl"
cd "$work"
said() {
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -Irtl/common -s gw_quantiser_tb -Pgw_quantiser_tb.Rows="$1" -DGW_DUT="gw_$name" -DGW_SETTINGS="$settings" -o bench \
    $(cat "rtl/quant/gw_$name.f") "$root/tests/quant/gw_quantiser_tb.sv"
  timeout 200 vvp -N bench +vectors="vectors.$1" || echo "FAIL: never comes to rest"
}
for rows in $recorded; do
  answer=$(said "$rows")
  echo "Rows $rows: $answer"
  case $answer in PASS*) ;; *) exit 1 ;; esac
done
for mutant in "$@"; do
  file=rtl/quant/${mutant%% *}
  sed -i.right -e "${mutant#* }" "$file"
  ! cmp -s "$file" "$file.right" || { echo "icarus: the mutant changes nothing: $mutant"; exit 1; }
  answer=$(said 100)
  case $answer in *FAIL*) ;; *) echo "icarus: not noticed: $mutant"; exit 1 ;; esac
  mv "$file.right" "$file"
done
