#!/bin/sh
# Proves the properties of the common cells with Yosys alone, by induction after one cycle in reset: run.sh [CELL...]
# async2sync lowers assertions, which newer versions of Yosys read as $check cells, to the $assert cells that sat proves.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v yosys >/dev/null || { echo "formal: yosys is not installed; on Debian: apt-get install yosys" >&2; exit 1; }
cd "$root"

proven=0
failed=0
[ $# -gt 0 ] || set -- gw_fifo gw_skid gw_interlock gw_arbiter
for cell in "$@"; do
  case $cell in
    gw_fifo) probes="write_q read_q memory_q[0]=word0_q memory_q[1]=word1_q memory_q[2]=word2_q memory_q[3]=word3_q" ;;
    gw_skid) probes="skid_valid_q skid_data_q" ;;
    gw_interlock|gw_arbiter) probes="" ;;
    *) echo "formal: no properties for '$cell'" >&2; exit 2 ;;
  esac
  connect=""
  for probe in $probes; do
    connect="$connect; connect -set ${probe#*=} u_dut.${probe%=*}"
  done
  log=$(mktemp)
  if yosys -e 'implicitly declared' -p "
      read_verilog -sv -formal -Irtl/common rtl/*/$cell.sv tests/formal/${cell}_props.sv
      prep -flatten -top ${cell}_props
      async2sync
      memory_map $connect
      opt_clean
      select -assert-min 1 t:\$assert; select -count t:\$assert
      sat -tempinduct -prove-asserts -set-at 1 rst_ni 0 -seq 1 -verify" > "$log" 2>&1; then
    proven=$((proven + 1))
    echo "formal: $cell: all $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' "$log" | tail -1) properties hold"
  else
    failed=$((failed + 1))
    echo "formal: $cell failed:"
    tail -30 "$log" | sed 's/^/  /'
  fi
  rm -f "$log"
done
echo "formal: $proven cells proven, $failed failed"
[ $failed -eq 0 ]
