#!/bin/sh
# Proves properties of cells with Yosys alone, by induction after one cycle in reset: run.sh [CELL...]
# Of each cell also: every cover is reached, so that what the proof assumes can be met, and its mutant is refuted by a
# counterexample. TIMES=1 prints seconds.
# async2sync lowers assertions, which newer versions of Yosys read as $check cells, to the $assert cells that sat proves.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v yosys >/dev/null || { echo "formal: yosys is not installed; on Debian: apt-get install yosys" >&2; exit 1; }
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of CELL: files (packages first), covers 0..covers-1, mutant (a sed expression) of the file `of`, probes (signal=register of
# u_dut, connected once the hierarchy is flat), sets (one run for each, a parameter of the properties), depth (cycles within
# which covers and the mutant's counterexample are found, with GW_SHORT's inputs if the properties know them).
of() {
  of=$(ls rtl/*/"$1".sv 2>/dev/null || true); files=$of; probes=""; sets="-"; covers=2; depth=12; flatten="prep -flatten -top ${1}_props"
  case $1 in
    gw_fifo)
      probes="write_q read_q memory_q[0]=word0_q memory_q[1]=word1_q memory_q[2]=word2_q memory_q[3]=word3_q"
      mutant='s/s_ready_o = (write_q ^ read_q) != .*/s_ready_o = 1'"'"'b1;/' ;;
    gw_fifo_head)
      probes="write_q read_q m_valid_o=valid_q m_data_o=head_q"
      for i in 0 1 2 3; do probes="$probes memory_q[$i]=word${i}_q"; done
      mutant='s/load \& (more_q | push)/load \& more_q/' ;;
    gw_fifo_2w)
      covers=3; probes="write_q read_q"
      for i in 0 1 2 3; do probes="$probes even_q[$i]=even${i}_q odd_q[$i]=odd${i}_q"; done
      mutant='s/write_q\[DepthLog2:1\] + .*/write_q[DepthLog2:1];/' ;;
    gw_packet_queue)  # not optimised before probes are connected: with Rx = 0 some have nobody else who looks
      depth=10; flatten="hierarchy -check -top ${1}_props; proc; flatten; memory_collect"
      sets="Rx=0 Rx=1"; probes="write_q begin_q read_q spoilt_q lost_q idle_q"
      for i in 0 1 2 3; do probes="$probes memory_q[$i]=place${i}_q"; done
      mutant='s/(lost_q | ~rst_ni)/lost_q/' ;;
    gw_skid) probes="skid_valid_q skid_data_q"; mutant='s/s_ready_o    <= ~park/s_ready_o    <= 1/' ;;
    gw_axil_slave)
      covers=3; mutant='s/ \& ~read_begun_q \& ~select_write/ \& ~read_begun_q/'
      probes="address_open_q data_open_q read_open_q write_begun_q read_begun_q looked_q
        write_address_q=held_write_address read_address_q=held_read_address" ;;
    gw_stream_gate) covers=3; probes="begun_q within_q"; mutant='s/open   = begun_q | ~drain_i/open   = ~drain_i/' ;;
    gw_interlock)
      sets="A=12 A=11 A=10 A=9 A=8 A=7 A=6 A=5 A=4 A=3 A=2 A=1"  # covers and mutant with the last
      mutant='s/<= A + 2;/<= A + 1;/' ;;
    gw_arbiter) mutant='s/request\[p1\] ? p1 : request\[p2\] ? p2/request[p2] ? p2 : request[p1] ? p1/' ;;
    gw_checksum)
      of=rtl/switch/gw_expether_pkg.sv; files=$of; depth=5
      mutant='s/sum\[16\] ? around : //' ;;
    gw_compression_block) covers=4; mutant='s/depth <= bound >> 1}/depth < bound >> 1}/' ;;
    gw_decompression_block) files="rtl/codec/gw_codec_pkg.sv $files"; covers=3; mutant='s/d14 - (ceiling/d14 - (~ceiling/' ;;
    gw_codec_value)
      of=rtl/codec/gw_compression_block.sv; files="rtl/codec/gw_codec_pkg.sv $of rtl/codec/gw_decompression_block.sv"
      mutant='s/value\[22:8\]} >> 5/value[22:8]} >> 1 >> 5/' ;;
    gw_compressor)
      files="rtl/codec/gw_codec_pkg.sv $files rtl/codec/gw_compression_*.sv rtl/codec/gw_alignment_unit.sv rtl/common/gw_fifo_2w.sv"
      mutant="s/merge, 1'b0}/1'b0, 1'b0}/"
      probes="used_q u_queue.write_q=write_q u_queue.read_q=read_q u_compression_unit.in_valid_q=in_valid_q
        u_compression_unit.blocks_valid_q=blocks_valid_q u_compression_unit.valid_o=vector_valid_q
        u_alignment_unit.merge_o=merge_q u_alignment_unit.flush_q=flush_q" ;;
    gw_decompressor)
      files="rtl/codec/gw_codec_pkg.sv $files rtl/codec/gw_decompression_*.sv rtl/codec/gw_burst_buffer.sv
        rtl/codec/gw_tag_decoder.sv rtl/common/gw_fifo.sv"
      mutant="s/m_axis_tvalid & m_axis_tready};/m_axis_tready};/"
      probes="used_q u_queue.write_q=write_q u_queue.read_q=read_q u_burst_buffer.held_q=held_q
        u_burst_buffer.valid_o=issued_q u_decompression_unit.valid_o=decoded_q" ;;
    gw_fp_compare)
      files="$(cat rtl/fp/gw_fp_compare.f)"; of=rtl/fp/gw_fp_compare_pkg.sv; sets="Subnormal=0 Subnormal=1"; depth=5
      mutant="s/ \&\& !zeros//" ;;
    gw_fp_mul)  # by name only: takes minutes
      files="$(cat rtl/fp/gw_fp_mul.f)"; of=rtl/fp/gw_fp_pkg.sv; sets="Subnormal=0"; depth=5
      mutant="s/up    = guard && (rest || kept\[0\])/up    = guard/" ;;
    *) echo "formal: no properties for '$1'" >&2; exit 2 ;;
  esac
  # shellcheck disable=SC2086,SC2116 # patterns become files, all on one line
  files=$(echo $files)
}

# sat CELL SET LOG OPTIONS READ: 0 if the proof succeeds; the log says what happened.
sat() {
  connect=""
  for probe in $probes; do
    connect="$connect; connect -set ${probe#*=} u_dut.${probe%=*}"
  done
  parameter=""
  [ "$2" = - ] || parameter="chparam -set ${2%%=*} ${2#*=} ${1}_props;"
  # shellcheck disable=SC2086 # a list of files
  yosys -e 'implicitly declared' -p "
    read_verilog -sv -formal -Irtl/common -Itests/formal $5 tests/formal/${1}_props.sv; $parameter
    $flatten
    async2sync
    memory_map $connect
    opt_clean
    select -assert-min 1 t:\$assert; select -count t:\$assert
    sat $4 -prove-asserts -set-at 1 rst_ni 0" > "$3" 2>&1
}

proven=0
failed=0
fail() {
  failed=$((failed + 1))
  echo "formal: $1"
  tail -n 12 "$log" | sed 's/^/  /'
}
[ $# -gt 0 ] || set -- gw_fifo gw_fifo_head gw_fifo_2w gw_packet_queue gw_skid gw_axil_slave gw_stream_gate gw_interlock gw_arbiter gw_checksum \
  gw_compression_block gw_decompression_block gw_codec_value gw_compressor gw_decompressor gw_fp_compare
log=$work/log
for cell in "$@"; do
  of "$cell"
  since=$(date +%s)
  for set in $sets; do
    name=$cell${set#-}
    [ "$set" = - ] || name="$cell $set"
    if sat "$cell" "$set" "$log" "-verify -tempinduct -seq 1" "$files"; then
      proven=$((proven + 1))
      echo "formal: $name: all $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' "$log" | tail -1) properties hold"
    else
      fail "$name failed:"
    fi
  done
  cover=0
  while [ $cover -lt $covers ]; do
    sat "$cell" "$set" "$log" "-seq $depth" "-DGW_SHORT -DGW_COVER=$cover $files" || true
    grep -q 'model found: FAIL' "$log" || fail "$cell: cover $cover is not reached:"
    cover=$((cover + 1))
  done
  sed -e "$mutant" "$of" > "$work/mutant.sv"
  ! cmp -s "$of" "$work/mutant.sv" || fail "$cell: the mutant is no other than the original"
  sat "$cell" "$set" "$log" "-seq $depth" "-DGW_SHORT $(echo "$files" | sed "s|$of|$work/mutant.sv|")" || true
  grep -q 'model found: FAIL' "$log" || fail "$cell: the mutant is not refuted:"
  [ -z "${TIMES:-}" ] || echo "formal: $cell: $(($(date +%s) - since)) s"
done
echo "formal: $proven proofs, $failed failed"
[ $failed -eq 0 ]
