#!/bin/sh
# nic_rx in a four-state simulator, with unknown bits wherever its contract does not look: unknown.sh. RTL that looks must be noticed.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v iverilog >/dev/null || { echo "unknown: iverilog is not installed; on Debian: apt-get install iverilog" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/rtl" "$work/rtl"
cd "$work"
said() {
  # shellcheck disable=SC2046 # a list of files
  iverilog -g2012 -Irtl/common -s gw_nic_rx_unknown_tb -o bench $(cat rtl/nic/gw_nic_rx.f) "$root/tests/nic/gw_nic_rx_unknown_tb.sv"
  vvp -N bench 2>&1 | head -1
}
right=$(said)
echo "$right"
[ "$right" = PASS ]
file=rtl/nic/gw_nic_rx_parser.sv
sed -i.right -e 's/packed1_q && size2_q >= 8.d34 && (.*);/packed1_q \&\& size2_q >= (has_tag1_q ? 8'"'"'d38 : 8'"'"'d34);/' $file
! cmp -s $file $file.right || { echo "unknown: the mutant changes nothing"; exit 1; }
wrong=$(said)
[ "$wrong" != PASS ] || { echo "unknown: not noticed"; exit 1; }
echo "noticed: $wrong"
