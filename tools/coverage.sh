#!/usr/bin/env bash
# How far simulation reaches: runs of every device with coverage, their points merged, a report a family against the goals.
# coverage.sh [DIR]
# FUNCTIONAL=0 or RTL=0 leaves one of the two halves out; FAMILIES="codec switch" the other families; JOBS runs at once.
# Needs a build with tests (build/tests/coverage/coverage_directed).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/coverage}
families=${FAMILIES:-codec mx quant nic switch}
export gradwire=$PWD/build/gradwire
directed=$PWD/build/tests/coverage/coverage_directed
for program in "$gradwire" "$directed"; do
  [ -x "$program" ] || { echo "coverage: $program is not built (tools/build.sh)" >&2; exit 1; }
done
rm -rf "$out"
mkdir -p "$out"
begin=$SECONDS

devices_of() {
  case $1 in
    codec) echo compressor decompressor codec_loop ;;
    mx) echo mx ;;
    quant) echo threshold onebit adaptive dequantizer ;;
    nic) echo nic_tx nic_rx nic ;;
    switch) echo parser aggregator optimizer switch ;;
    *) echo "coverage: there is no family '$1'" >&2; exit 1 ;;
  esac
}

stalls=(none source:30 sink:30 both:20 both:60)
turn=0
# The next of the stalls: where their product with all else would reach nothing more.
next_stall() { stall=${stalls[turn++ % ${#stalls[@]}]}; }

# of_tables DEVICE PACKETS TABLE... -- OPTION...: runs of tables of random traffic, with eight seeds each.
of_tables() {
  local device=$1 packets=$2 tables=() table seed
  shift 2
  while [ $# -gt 0 ] && [ "$1" != -- ]; do tables+=("$1"); shift; done
  shift
  for table in "${tables[@]}"; do
    for seed in 1 2 3 4 5 6 7 8; do
      echo "$device --random tests/coverage/random.toml#$table --packets $packets --seed $seed $*"
    done
  done
}

# A family's own stimuli, without stalls and with, a run a line; what else reaches a table beside it. `whole`: the product of
# stimuli and stalls, which tables of the streams need; else each stimulus with one of the stalls in turn.
stimuli() {
  local family=$1 product=$2 device k mode synth
  case $family in
    codec)
      for device in compressor decompressor codec_loop; do
        for synth in mixed single raw zeros; do
          for stall in "${stalls[@]}"; do echo "$device --synth $synth --stall $stall --packets 300"; done
        done
        for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
          for mode in paper bounded; do
            next_stall
            echo "$device --synth irregular --stall $stall --bound $k --mode $mode --seed $((k + 20)) --packets 300"
          done
        done
        if [ "$product" = whole ]; then
          of_tables $device 100000 corners solid blocked --
          of_tables $device 10000 filled --
        fi
      done
      ;;
    mx)
      for k in "mxfp8 on" "mxfp8 off" "mxfp8-e5m2 on" "mxfp8-e5m2 off" "mxfp4 on" "mxfp4 off"; do
        for synth in mixed single raw zeros irregular; do
          for stall in "${stalls[@]}"; do
            [ "$product" = whole ] || next_stall
            echo "mx --synth $synth --stall $stall --packets 300 --format ${k% *} --residual ${k#* }"
            [ "$product" = whole ] || break
          done
        done
        echo "mx --random hostile --packets 1000 --format ${k% *} --residual ${k#* }"
        [ "$product" = turns ] || of_tables mx 30000 corners solid blocked -- --format ${k% *} --residual ${k#* }
      done
      ;;
    quant)
      for k in "wgt mask" "bgt mask" "bgt rice" "qgt mask" "qgt rice"; do
        for synth in mixed single zeros irregular; do
          next_stall
          echo "threshold --synth $synth --stall $stall --packets 300 --method ${k% *} --coding ${k#* }"
        done
        echo "threshold --random hostile --packets 1000 --method ${k% *} --coding ${k#* }"
        [ "$product" = turns ] || of_tables threshold 30000 corners solid blocked -- --method ${k% *} --coding ${k#* }
      done
      for k in on off; do
        for synth in mixed single zeros irregular; do
          next_stall
          echo "onebit --synth $synth --stall $stall --packets 300 --residual $k"
        done
        echo "onebit --random hostile --packets 1000 --residual $k"
        [ "$product" = turns ] || of_tables onebit 50000 corners solid blocked -- --residual $k
      done
      for k in "mask on" "mask off" "rice on" "rice off"; do
        for synth in mixed single zeros irregular; do
          next_stall
          echo "adaptive --synth $synth --stall $stall --packets 300 --p 2 --coding ${k% *} --residual ${k#* }"
        done
        echo "adaptive --random hostile --packets 1000 --coding ${k% *} --residual ${k#* }"
        [ "$product" = turns ] || of_tables adaptive 30000 corners solid blocked -- --coding ${k% *} --residual ${k#* }
      done
      for stall in none both:20 both:60; do
        for synth in mixed single zeros irregular; do
          echo "dequantizer --synth $synth --stall $stall --packets 300"
        done
        echo "dequantizer --random hostile --stall $stall --packets 3000"
        [ "$product" = turns ] || of_tables dequantizer 30000 corners solid blocked -- --stall $stall
      done
      ;;
    nic)
      for device in nic_tx nic_rx nic; do
        synth=hosts
        [ $device != nic_rx ] || synth=wire
        for stall in "${stalls[@]}"; do echo "$device --synth $synth --stall $stall --packets 20000 --seed 3"; done
        [ "$product" = turns ] || of_tables $device 50000 nic nic-long nic-short --
      done
      ;;
    switch)
      for device in parser aggregator optimizer switch; do
        for synth in anything irregular gradient-192 ordinary-60 incast; do
          for stall in none source:30 sink:30 both:60; do
            [ "$product" = whole ] || next_stall
            case $synth in
              anything | irregular) echo "$device --synth $synth --stall $stall --packets 20000 --seed 5" ;;
              *) echo "$device --synth $synth --stall $stall --packets 4000" ;;
            esac
            [ "$product" = whole ] || break
          done
        done
        for stall in none source:30 sink:30 both:60; do
          echo "$device --synth workers --stall $stall --iterations 12 --sequences 32 --duplicate 10 --reorder 10 --malformed 10" \
            "--foreign 10 --loss 5"
        done
      done
      # The RTL of each algorithm is another one; numbers of every size reach its operators' bits.
      if [ "$product" = turns ]; then
        for k in "sgd pipelined" "adagrad pipelined" "adam pipelined" "smorms3 pipelined" "adam pipelined --subnormal 1" \
          "sgd iterative" "adagrad iterative" "adam iterative" "smorms3 iterative"; do
          read -r algorithm kind more <<< "$k"
          for device in optimizer switch; do
            seed=0
            for rates in "--lr 0.001" "--lr 12345.678 --eps 3.1e-30 --beta1 0.31 --beta2 0.0077" \
              "--lr -2.7e-33 --eps 8.5e29 --beta1 0.99993 --beta2 0.50001" "--lr 7e28 --eps 0.37 --beta1 1.1e-9 --beta2 0.9" \
              "--lr 1.9999 --eps 0 --beta1 0 --beta2 0.99999"; do
              echo "$device --algorithm $algorithm --kind $kind $more --random tests/coverage/random.toml#numbers" \
                "--packets 2500 --seed $((++seed)) --sequences 512 $rates"
              # What is one number for an iteration: many of them.
              [ $algorithm != adam ] || echo "$device --algorithm adam --kind $kind $more --synth workers --workers 1 --sequences 2" \
                "--iterations 300 --seed $seed $rates"
            done
          done
        done
      fi
      for device in aggregator switch; do
        echo "$device --synth anything --workers 1 --depth 5 --packets 20000"
        echo "$device --synth workers --workers 16 --sequences 3 --iterations 20 --duplicate 20 --reorder 20"
      done
      if [ "$product" = whole ]; then
        for device in parser aggregator optimizer; do of_tables $device 200000 frames long short later --; done
        of_tables optimizer 600000 short --
        of_tables aggregator 20000 held --
        of_tables switch 40000 frames long short wire -- --sequences 512
        of_tables switch 200000 late -- --sequences 512
        of_tables switch 200000 later -- --sequences 512
        of_tables switch 4000 jumbo -- --sequences 512
        # Port 0's last two cells, which no other seed up to 60 reaches both of.
        echo "switch --random tests/coverage/random.toml#long --packets 40000 --sequences 512 --seed 31"
        for device in aggregator switch; do of_tables $device 10000 frames -- --sequences 512 --workers 1; done
        # An optimizer that is too slow for its ports: RX queues fill.
        for k in 1 2; do
          echo "switch --engine model --algorithm adam --pes 1 --kind iterative --workers 1 --synth gradient-192 --packets 3000 --seed $k"
        done
      fi
      ;;
  esac
}

# run_all KINDS NAME: the runs of the standard input, several at once, a file of points each.
run_all() {
  nl -w1 -s' ' | kinds=$1 points=$out/$2 xargs -P "${JOBS:-$(nproc)}" -d '\n' -I{} bash -c '
    set -- $1
    number=$1
    shift
    "$gradwire" run "$@" --quiet --coverage "$kinds" --coverage-out "$points-$number.json" \
      || { echo "coverage: failed: gradwire run $*" >&2; exit 255; }' coverage {}
}

# shares NAME FAMILY GOAL...: the report of NAME.FAMILY, and whether each goal is met.
shares() {
  local name=$1 family=$2 goals=() waivers=tests/coverage/waivers/$2.toml
  shift 2
  [ -f "$waivers" ] && goals=(--waivers "$waivers")
  for goal in "$@"; do goals+=(--goal "$goal"); done
  echo "== $family ($name)"
  "$gradwire" coverage report --json "$out/$name.$family.report.json" "${goals[@]}" \
    "$out/$name.$family.merged.json" || failed=1
}

half() {
  local name=$1 kinds=$2 product=$3 family
  for family in $families; do
    # Processing elements are copies of one another: of their lines and bits, two stand for all.
    stimuli "$family" "$product" | sed -E "$([ "$product" = whole ] || echo 's/^(optimizer|switch) /&--pes 2 /')" | run_all "$kinds" "$name.$family"
    # shellcheck disable=SC2046  # a word a device
    "$directed" "$kinds" "$out/$name.$family-directed.json" $(devices_of "$family")
    "$gradwire" coverage merge --out "$out/$name.$family.merged.json" "$out/$name.$family"-*.json
    echo "coverage: $family, $kinds: $((SECONDS - begin)) s so far"
  done
}

if [ "${FUNCTIONAL:-1}" = 1 ]; then
  half functional functional whole
  for family in $families; do shares functional "$family" functional=100; done
fi
if [ "${RTL:-1}" = 1 ]; then
  half rtl line,user,toggle turns
  for family in $families; do shares rtl "$family" line=98 toggle=95; done
  "$gradwire" coverage merge --out "$out/rtl.merged.json" "$out"/rtl.*.merged.json
  "$gradwire" coverage report --info "$out/merged.info" "$out/rtl.merged.json" > "$out/rtl.report.txt"
fi
echo "coverage: $((SECONDS - begin)) s"
exit "${failed:-0}"
