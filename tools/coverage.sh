#!/usr/bin/env bash
# How far simulation reaches: runs of every device with coverage, their points merged, a report. coverage.sh [DIR]
# FUNCTIONAL=0 or RTL=0 leaves one of the two halves out. Needs a build with tests (build/tests/coverage/coverage_directed).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/coverage}
gradwire=$PWD/build/gradwire
directed=$PWD/build/tests/coverage/coverage_directed
for program in "$gradwire" "$directed"; do
  [ -x "$program" ] || { echo "coverage: $program is not built (tools/build.sh)" >&2; exit 1; }
done
rm -rf "$out"
mkdir -p "$out"

# count KINDS NAME RUN-ARGUMENT...: one run, one file of points.
runs=0
count() {
  local kinds=$1 name=$2
  shift 2
  runs=$((runs + 1))
  "$gradwire" run "$@" --quiet --coverage "$kinds" --coverage-out "$out/$name-$runs.json" \
    || { echo "coverage: failed: gradwire run $*" >&2; exit 1; }
}

# Every device's own stimuli, without stalls and with; what else reaches a table beside it.
stimulate() {
  local kinds=$1 name=$2 device stall k mode synth
  for device in compressor decompressor codec_loop; do
    for stall in none source:30 sink:30 both:20 both:60; do
      for synth in mixed single raw zeros; do
        count "$kinds" "$name" $device --synth $synth --stall $stall --packets 300
      done
      for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
        for mode in paper bounded; do
          count "$kinds" "$name" $device --synth irregular --stall $stall --bound $k --mode $mode --seed $((k + 20)) --packets 300
        done
      done
    done
  done
  for k in "mxfp8 on" "mxfp8 off" "mxfp4 on" "mxfp4 off"; do
    for stall in none source:30 sink:30 both:20 both:60; do
      for synth in mixed single raw zeros irregular; do
        count "$kinds" "$name" mx --synth $synth --stall $stall --packets 300 --format ${k% *} --residual ${k#* }
      done
      count "$kinds" "$name" mx --random hostile --packets 1000 --format ${k% *} --residual ${k#* }
    done
  done
  for k in "wgt mask" "bgt mask" "bgt rice" "qgt mask" "qgt rice"; do
    for stall in none both:20 both:60; do
      for synth in mixed single zeros irregular; do
        count "$kinds" "$name" threshold --synth $synth --stall $stall --packets 300 --method ${k% *} --coding ${k#* }
      done
      count "$kinds" "$name" threshold --random hostile --packets 1000 --method ${k% *} --coding ${k#* }
    done
  done
  for residual in on off; do
    for stall in none both:20 both:60; do
      for synth in mixed single zeros irregular; do
        count "$kinds" "$name" onebit --synth $synth --stall $stall --packets 300 --residual $residual
      done
      count "$kinds" "$name" onebit --random hostile --packets 1000 --residual $residual
    done
  done
  for stall in none both:20 both:60; do
    for synth in mixed single zeros irregular; do
      count "$kinds" "$name" dequantizer --synth $synth --stall $stall --packets 300
    done
    count "$kinds" "$name" dequantizer --random hostile --stall $stall --packets 3000
  done
  for device in nic_tx nic_rx nic; do
    synth=hosts
    [ $device != nic_rx ] || synth=wire
    for stall in none source:30 sink:30 both:20 both:60; do
      count "$kinds" "$name" $device --synth $synth --stall $stall --packets 20000 --seed 3
    done
  done
  for device in parser aggregator optimizer switch; do
    for stall in none source:30 sink:30 both:60; do
      for synth in anything irregular; do
        count "$kinds" "$name" $device --synth $synth --stall $stall --packets 20000 --seed 5
      done
      for synth in gradient-192 ordinary-60 incast; do
        count "$kinds" "$name" $device --synth $synth --stall $stall --packets 4000
      done
      count "$kinds" "$name" $device --synth workers --stall $stall --iterations 12 --sequences 32 --duplicate 10 --reorder 10 --malformed 10 \
        --foreign 10 --loss 5
    done
  done
  for device in aggregator switch; do
    count "$kinds" "$name" $device --synth anything --workers 1 --depth 5 --packets 20000
    count "$kinds" "$name" $device --synth workers --workers 16 --sequences 3 --iterations 20 --duplicate 20 --reorder 20
  done
}

if [ "${FUNCTIONAL:-1}" = 1 ]; then
  stimulate functional functional
  # An optimizer that is too slow for its ports: RX queues fill.
  for seed in 1 2; do
    count functional functional switch --engine model --algorithm adam --pes 1 --kind iterative --workers 1 --synth gradient-192 --packets 3000 --seed $seed
  done
  "$directed" functional "$out/functional-directed.json"
  "$gradwire" coverage merge --out "$out/functional.merged.json" "$out"/functional-*.json
  "$gradwire" coverage report --waivers tests/coverage/waivers.toml --json "$out/functional.report.json" "$out/functional.merged.json" || failed=1
fi
if [ "${RTL:-1}" = 1 ]; then
  stimulate line,user rtl
  "$directed" line,user "$out/rtl-directed.json"
  "$gradwire" coverage merge --out "$out/rtl.merged.json" "$out"/rtl-*.json
  "$gradwire" coverage report --waivers tests/coverage/waivers.toml --json "$out/rtl.report.json" --info "$out/merged.info" \
    "$out/rtl.merged.json" || failed=1
fi
exit "${failed:-0}"
