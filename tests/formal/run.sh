#!/bin/sh
# Proves properties of cells, by induction after one cycle in reset (Yosys): run.sh [CELL...]
# Those named .._stream are whole devices, whose every run of some cycles from reset on is looked at instead (steps), whatever their
# registers hold before it (ABC, which comes with Yosys); queues are shrunk and blocks that do not matter are free to do anything, as
# docs/verification.md says. Of each cell also: every cover is reached, so that what the proof assumes can be met, and its mutants are
# refuted by a counterexample (ABC). TIMES=1 prints seconds.
# Covers of the RTL (GW_COVER) are simulation's to reach, and left out.
# async2sync lowers assertions, which newer versions of Yosys read as $check cells, to the $assert cells that sat proves.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v yosys >/dev/null || { echo "formal: yosys is not installed; on Debian: apt-get install yosys" >&2; exit 1; }
abc=$(command -v yosys-abc || command -v berkeley-abc) || { echo "formal: Yosys came without its ABC (yosys-abc)" >&2; exit 1; }
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of CELL: files (packages first), covers (how many), mutant (a sed expression, or several, one a line; of the file `of`, or of the
# first one of several files that it changes), shrink (the same, of each of them, for what is proved and for mutants), steps (empty:
# proved by induction), probes (signal=register of
# u_dut, connected once the hierarchy is flat), props (the properties' module, if it is not named after the cell), sets (one run for
# each, parameters of the properties; @ and steps of its own),
# depth (cycles within which covers and the mutant's counterexample are found, with GW_SHORT's inputs if the properties know them).
of() {
  of=$(ls rtl/*/"$1".sv 2>/dev/null || true); files=$of; probes=""; sets="-"; covers=2; depth=12; props=${1}_props; optimised=1
  shrink=""; steps=""; rules=tests/formal/gw_stream_rules.sv
  case $1 in
    gw_fifo)
      probes="write_q read_q memory_q[0]=word0_q memory_q[1]=word1_q memory_q[2]=word2_q memory_q[3]=word3_q"
      mutant='s/s_ready_o = (write_q ^ read_q) != .*/s_ready_o = 1'"'"'b1;/' ;;
    gw_fifo_head)
      probes="write_q read_q m_valid_o=valid_q m_data_o=head_q"
      for i in 0 1 2 3; do probes="$probes memory_q[$i]=word${i}_q"; done
      mutant='s/some    = more_q | push/some    = more_q/' ;;
    gw_fifo_2w)
      covers=3; probes="write_q read_q"
      for i in 0 1 2 3; do probes="$probes even_q[$i]=even${i}_q odd_q[$i]=odd${i}_q"; done
      mutant='s/write_q\[DepthLog2:1\] + .*/write_q[DepthLog2:1];/' ;;
    gw_packet_queue)  # not optimised before probes are connected: with Rx = 0 some have nobody else who looks
      depth=10; optimised=""
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
    gw_lookup)
      covers=4; depth=9; optimised=""
      shrink='s/logic \[255:0\] known_q/logic [3:0] known_q/; s/\[0:255\]/[0:3]/; s/\[7:0\] learn_at/[1:0] learn_at/
        s/\[7:0\] find_at1/[1:0] find_at1/; s/logic \[7:0\]   find_at2_q/logic [1:0] find_at2_q/'
      probes="valid1_q valid2_q valid3_q known3_q source1_q target1_q target2_q target3_q vlan1_q vlan2_q vlan3_q port1_q port2_q
        port3_q find_at2_q known_q found3_q"
      for i in 0 1 2 3; do probes="$probes table_q[$i]=entry${i}_q"; done
      mutant='s/{found3_q.vlan, found3_q.mac} == {vlan3_q, target3_q}/found3_q.mac == target3_q/
        s/if (learn) known_q/if (valid1_q) known_q/
        s/known_q    <= .0;//' ;;
    # Not optimised before probes are connected; the last set has short waits, for covers and mutants. _arrays (slow): the other kinds.
    gw_dispatcher | gw_dispatcher_arrays)
      of=rtl/switch/gw_dispatcher.sv; files=$of; props=gw_dispatcher_props
      covers=3; depth=14; optimised=""
      sets="Adam=1,Longest=3,Advance=6"
      if [ "$1" = gw_dispatcher ]; then
        sets="Adam=1 $sets"
      else
        sets="Adam=0 Adam=0,Pes=64,Interval=194 Adam=1,Pes=8,Interval=159 $sets"
      fi
      probes="lock_q newer_q taken_q taken_sequence_q next_q after_q wait0_q wait1_q gathered_q=dut_gathered_q"
      mutant='s/advance_o - 5.d1/advance_o/
        s/drained = done_o == dispatched_o/drained = done_o == dispatched_o \&\& !changed_i/
        s/if (frame_done_i) lock_q/if (frame_done_i \&\& !dispatch_o) lock_q/' ;;
    gw_checksum)
      of=rtl/switch/gw_expether_pkg.sv; files=$of; depth=5
      mutant='s/sum\[16\] ? around : //' ;;
    gw_nic_crc)
      of=rtl/nic/gw_nic_pkg.sv; files=$of; depth=5
      mutant='s/8F5_91EB/8F5_91EA/' ;;
    gw_nic_tx_flows)
      covers=4; depth=6; optimised=""
      shrink='s/wire \[7:0\]  place = hash ^ {source > destination, 7.d0}/wire [1:0] place = {hash[7] ^ (source > destination), hash[0]}/
        s/\[255:0\] used_q/[3:0] used_q/; s/\[0:255\]/[0:3]/'
      probes="used_q"
      for i in 0 1 2 3; do probes="$probes memory_q[$i]=entry${i}_q"; done
      mutant='s/source > destination/source[47:16] > destination[47:16]/
        s/forgotten_o = forget_i \& known_o/forgotten_o = forget_i \& used_q[place]/
        s/learn_i | forgotten_o) used_q/learn_i) used_q/' ;;
    gw_ring_numbers)
      files="rtl/ring/gw_ring_pkg.sv $files"; probes="acked_q"; depth=8
      mutant='s/sending_i \&\& gw_ring_pkg::near_below(sending_chunk_i, acked_q)/1'"'"'b0/
        s/else if (advance \& skips) next_o <= ack_i;//' ;;
    gw_ring_egress)
      files="rtl/ring/gw_ring_pkg.sv rtl/common/gw_fifo_head.sv $files"; depth=16
      probes="used_q u_queue.write_q=write_q u_queue.read_q=read_q valid1_q valid2_q"
      mutant='s/else if (issue_i \& ~leaves)/else if (issue_i)/
        s/credit_o = .*/credit_o = used_q != 4'"'"'d9;/' ;;
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
    gw_compressor_stream)
      steps=15; props=gw_codec_stream_props; sets="Silence=5,Stall=1"; of=rtl/codec/gw_alignment_unit.sv
      files="-DGW_DEVICE=gw_compressor rtl/codec/gw_codec_pkg.sv rtl/codec/gw_compressor.sv rtl/codec/gw_compression_unit.sv
        tests/formal/gw_compression_block_free.sv $of rtl/common/gw_fifo_2w.sv $rules"
      mutant='s/first_last_o  = flush_q | ends_in_one_q/first_last_o  = flush_q/
        s/~flush_q \& ends_in_one_q/~flush_q/' ;;
    gw_decompressor_stream)  # by name only, as gw_optimization_stream: with covers and mutants they take minutes
      steps=9; props=gw_codec_stream_props; sets="Silence=3"; of=rtl/codec/gw_burst_buffer.sv
      files="-DGW_DEVICE=gw_decompressor rtl/codec/gw_codec_pkg.sv rtl/codec/gw_decompressor.sv rtl/codec/gw_decompression_*.sv $of
        rtl/codec/gw_tag_decoder.sv rtl/common/gw_fifo.sv $rules"
      mutant='s/issue_end   = credit_i \& ended/issue_end   = credit_i \& (end_two | end_three)/
        s/last_o   <= ~goes_on;/last_o   <= 1;/' ;;
    gw_parser_stream)
      steps=17; of=rtl/switch/gw_parser.sv; shrink='s/DepthLog2(6)/DepthLog2(3)/; s/used_d\[6\]/used_d[3]/; s/7.d64/7'"'"'d8/'
      files="rtl/switch/gw_expether_pkg.sv $of rtl/common/gw_fifo_head.sv $rules"
      mutant='s/(s_axis_tlast \&\& index_q </(s_axis_tlast \&\& !first \&\& index_q </
        s/data_valid \& verdict_valid;/data_valid \& s_axis_tready;/' ;;
    gw_aggregation_stream)
      steps=14; covers=3; of=rtl/switch/gw_aggregation.sv
      shrink='s/DepthLog2(5)) u_queue/DepthLog2(3)) u_queue/; s/used_q\[5\]/used_q[3]/; s/6.d32/6'"'"'d8/'
      files="rtl/switch/gw_expether_pkg.sv $of rtl/switch/gw_interlock.sv rtl/common/gw_fifo_head.sv tests/formal/gw_fp_add_free.sv $rules"
      mutant='s/payload_i  *(payload0)/payload_i(candidate0)/; s/\.issue_i  *(issue)/.issue_i(s_axis_tvalid)/
        s/{last1_q, keep1_q, user1_q}/{last1_q | payload1_q, keep1_q, user1_q}/' ;;
    gw_mx_stream)
      steps=15; of=rtl/quant/gw_quant_egress.sv; shrink='s/DepthLog2 = 6/DepthLog2 = 3/'
      files="rtl/codec/gw_codec_pkg.sv rtl/fp/gw_fp_pkg.sv rtl/fp/gw_fp_add_pkg.sv rtl/quant/gw_mx_pkg.sv rtl/common/gw_fifo_2w.sv
        rtl/codec/gw_alignment_unit.sv rtl/quant/gw_mx_in_flight.sv rtl/quant/gw_mx_issue.sv rtl/quant/gw_mx_adder.sv
        rtl/quant/gw_mx_rows.sv rtl/quant/gw_mx_gather.sv rtl/quant/gw_mx_lane.sv rtl/quant/gw_mx_remainder.sv rtl/quant/gw_mx_pack.sv
        $of rtl/quant/gw_mx.sv $rules"
      mutant='s/first_user_i, first_last_i, first_pad_i/first_user_i, second_last_i, first_pad_i/
        s/first_last_i, first_pad_i, first_data_i/first_last_i, second_pad_i, first_data_i/' ;;
    gw_optimization_stream)
      steps=10; sets="Traffic=1@22 Traffic=0@10"
      of="rtl/switch/gw_optimization.sv rtl/switch/gw_optimization_frames.sv rtl/switch/gw_optimization_gather.sv
        rtl/switch/gw_optimization_tags.sv"
      shrink='s/\[8:0\]/[3:0]/; s/\[7:0\]\]/[2:0]]/; s/\[0:255\]/[0:7]/; s/used_q\[8\]/used_q[3]/; s/9.d256/9'"'"'d8/; s/\[0:63\]/[0:7]/'
      files="rtl/switch/gw_expether_pkg.sv rtl/switch/gw_optimizer_pkg.sv rtl/fp/gw_fp_pkg.sv rtl/switch/gw_dispatcher.sv
        rtl/switch/gw_optimization_host.sv rtl/switch/gw_optimization_powers.sv rtl/switch/gw_optimization_rows.sv $of
        tests/formal/gw_optimizer_array_free.sv tests/formal/gw_fp_add_free.sv tests/formal/gw_fp_mul_free.sv $rules"
      mutant='s/frame_done_i  *(frame_done)/frame_done_i(frame_done \& tag_here[0])/
        s/{user0, s_axis_tlast,/{user0, s_axis_tlast | first_i,/' ;;
    gw_switch_stream)
      steps=22; covers=3; of=rtl/switch/gw_switch_core.sv; probes="serve parsed_valid parsed_ready summed_valid summed_ready out_valid out_last"
      shrink='s/gw_packet_queue #(/gw_packet_queue #(.DepthLog2(3), /; s/gw_packet_queue u_queue/gw_packet_queue #(.DepthLog2(3)) u_queue/
        s/DepthLog2(8)) u_routes/DepthLog2(4)) u_routes/'
      files="rtl/switch/gw_expether_pkg.sv $of rtl/switch/gw_packet_queue.sv rtl/switch/gw_arbiter.sv rtl/common/gw_fifo.sv
        tests/formal/gw_switch_blocks_free.sv $rules"
      mutant='s/m_ready_i(out_valid \&\& out_first_q)/m_ready_i(out_valid)/
        s/out_first_q <= out_last/out_first_q <= 1/
        s/valid_i  *(rx_valid \& {4{!drain_i}})/valid_i(rx_valid \& {1'"'"'b0, {3{!drain_i}}})/' ;;
    *) echo "formal: no properties for '$1'" >&2; exit 2 ;;
  esac
  # shellcheck disable=SC2086,SC2116 # patterns become files, all on one line
  files=$(echo $files)
  if [ -n "$shrink" ]; then
    shrunk=""
    for file in $of; do
      smaller=$work/shrunk_${file##*/}
      sed -e "$shrink" "$file" > "$smaller"
      ! cmp -s "$file" "$smaller" || { echo "formal: $1: nothing is shrunk in $file" >&2; exit 1; }
      files=$(echo "$files" | sed "s|$file|$smaller|")
      shrunk="$shrunk $smaller"
    done
    of=${shrunk# }
  fi
}

# read_cell SET READ OPTIMISED: what reads the cell's properties, for SET, with READ, a list of files.
read_cell() {
  connect=""
  for probe in $probes; do
    connect="$connect; connect -set ${probe#*=} u_dut.${probe%=*}"
  done
  flatten="hierarchy -check -top $props; proc; flatten; memory_collect"
  [ -z "$3" ] || flatten="prep -flatten -top $props"
  parameters=""
  [ "$1" = - ] || parameters="chparam -set $(echo "${1%@*}" | sed 's/=/ /g; s/,/ -set /g') $props;"
  echo "
    read_verilog -sv -formal -Irtl/common -Itests/formal $2 tests/formal/gw_never.sv tests/formal/$props.sv; $parameters
    $flatten
    async2sync
    chformal -cover -remove
    memory_map $connect
    opt_clean -purge
    select -assert-min 1 t:\$assert; select -count t:\$assert; select -clear"
}

# Yosys gets a script and no -p, which its version 0.52 (Debian 13) cuts apart at commas.
ask() {
  echo "$1" > "$work/script.ys"
  yosys -e 'implicitly declared' -s "$work/script.ys" > "$log" 2>&1
}

# induct SET: 0 if the properties hold by induction; the log says what happened.
induct() {
  ask "$(read_cell "$1" "$files" "$optimised")
    sat -verify -tempinduct -seq 1 -prove-asserts -set-at 1 rst_ni 0"
}

# search SET CYCLES READ: looks for a counterexample of READ's properties in so many cycles, the first of which is in reset and finds
# anything in the registers; for one of each cover if GW_REACH is defined. The log says what happened.
search() {
  only=""
  look="bmc3 -v -S $first -F $2"
  case $3 in
    *-DGW_REACH*)
      only="chformal -assert -remove c:* c:*u_never* %d; select -assert-count $covers t:\$assert; select -clear"
      each=""
      for cover in $(seq 0 $((covers - 1))); do each="$each read_aiger $work/miter.aig; fold; &get; &cone -O $cover; &put; $look;"; done
      look=$each ;;
  esac
  ask "$(read_cell "$1" "$3" "")
    $only
    fminit -seq rst_ni 0,1'bz
    setundef -undriven -anyseq
    formalff -clk2ff -ff2anyinit
    techmap
    simplemap
    setundef -anyseq
    dffunmap
    aigmap
    write_aiger -zinit -no-startoffset $work/miter.aig" || return
  "$abc" -c "read_aiger $work/miter.aig; fold; $look" >> "$log" 2>&1
}
found() { grep -c '^Output .* was asserted in frame' "$log"; }

# bound SET: in how many cycles, if not by induction. The first one's properties are no matter, and of streams those of the second,
# which still tell of the first.
bound() {
  case $1 in *@*) steps=${1#*@} ;; esac
  first=${steps:+2}
  first=${first:-1}
}

proven=0
failed=0
fail() {
  failed=$((failed + 1))
  echo "formal: $1"
  tail -n 12 "$log" | sed 's/^/  /'
}
[ $# -gt 0 ] || set -- gw_fifo gw_fifo_head gw_fifo_2w gw_packet_queue gw_skid gw_axil_slave gw_stream_gate gw_interlock gw_arbiter gw_lookup \
  gw_nic_crc gw_nic_tx_flows gw_ring_numbers gw_ring_egress \
  gw_dispatcher gw_checksum gw_compression_block gw_decompression_block gw_codec_value gw_compressor gw_decompressor gw_fp_compare \
  gw_compressor_stream gw_parser_stream gw_aggregation_stream gw_mx_stream gw_switch_stream
log=$work/log
for cell in "$@"; do
  of "$cell"
  since=$(date +%s)
  for set in $sets; do
    name=$cell
    [ "$set" = - ] || name="$cell ${set%@*}"
    bound "$set"
    holds=1
    if [ -z "$steps" ]; then
      induct "$set" || holds=0
    else
      search "$set" "$steps" "$files" || true
      { grep -q "^ *$((steps - 1)) + :" "$log" && [ "$(found)" = 0 ]; } || holds=0
    fi
    if [ $holds = 1 ]; then
      proven=$((proven + 1))
      echo "formal: $name: all $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' "$log" | tail -1) properties hold${steps:+ for $steps cycles}"
    else
      fail "$name failed:"
    fi
  done
  search "$set" "${steps:-$depth}" "-DGW_SHORT -DGW_REACH $files" || true
  [ "$(found)" = $covers ] || fail "$cell: of $covers covers $(found) are reached:"
  mutated=$set
  [ -z "$steps" ] || mutated=$sets
  echo "$mutant" | sed 's/^ *//' > "$work/mutants"
  while read -r mutant <&3; do
    for changed in $of; do
      sed -e "$mutant" "$changed" > "$work/mutant.sv"
      ! cmp -s "$changed" "$work/mutant.sv" || continue
      break
    done
    ! cmp -s "$changed" "$work/mutant.sv" || fail "$cell: the mutant is no other than the original: $mutant"
    for set in $mutated; do
      bound "$set"
      search "$set" "${steps:-$depth}" "-DGW_SHORT $(echo "$files" | sed "s|$changed|$work/mutant.sv|")" || true
      [ "$(found)" = 0 ] || break
    done
    [ "$(found)" != 0 ] || fail "$cell: the mutant is not refuted: $mutant"
  done 3< "$work/mutants"
  [ -z "${TIMES:-}" ] || echo "formal: $cell: $(($(date +%s) - since)) s"
done
echo "formal: $proven proofs, $failed failed"
[ $failed -eq 0 ]
