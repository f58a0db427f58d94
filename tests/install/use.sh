#!/bin/sh
# What an installed program must do, from a folder that has nothing but what it makes: use.sh GRADWIRE FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
gradwire=$1 folder=$2
mkdir -p "$folder"
cd "$folder"
export XDG_CACHE_HOME="$folder/cache"
step() {
  echo "use: $1"
}

step "the captures that came with it"
"$gradwire" list --json > list.json || { echo "list failed"; exit 1; }
trace=$(sed -n 's/.*"file": *"\(.*hdc-ring-late.pcap\)".*/\1/p' list.json)
[ -f "$trace" ] || { echo "no capture '$trace'"; exit 1; }

step "a run of what is linked in"
"$gradwire" run compressor --trace "$trace" --quiet --json run.json --html run.html
grep -q '"ratio": 13.99' run.json
"$gradwire" run compressor --random hostile --packets 50 --quiet

step "RTL built on demand, with its waveform"
"$gradwire" run parser --synth irregular --packets 50 --quick-build --quiet --wave parser.fst
[ -s parser.fst ]
[ -s parser.gtkw ]

step "the example of RTL of another make"
"$gradwire" run compressor --rtl "${trace%/traces/*}/examples/compressor/serial_compressor_fixed.f" --top serial_compressor \
  --synth raw --packets 50 --check reference,protocol --quick-build --quiet

step "a bench of plain SystemVerilog"
"$gradwire" run switch --pes 1 --engine model --synth irregular --packets 20 --quiet --sv-bench bench
grep '[.]sv$' bench/files.f | while read -r source; do
  [ -f "$source" ] || [ -f "bench/$source" ] || { echo "no '$source'"; exit 1; }
done

step "a sweep, with areas in the cache, which are then those of a folder, too"
for folder in "" 'cache/gradwire/areas-*'; do
  # shellcheck disable=SC2086 # a pattern of names
  "$gradwire" sweep optimizer --algorithm sgd --pes 1 --kind iterative --profile fast --frames 64 --no-cpu --quiet \
    --check recommended ${folder:+--synth-folder} $folder --json sweep.json
  grep -q '"lut": [1-9]' sweep.json || { echo "no area:"; cat sweep.json; exit 1; }
  [ -n "$folder" ] || touch synthesised
done
# shellcheck disable=SC2086 # a pattern of names
[ -z "$(find $folder -name 'pe-*.json' -newer synthesised)" ] || { echo "areas that were there are made anew"; exit 1; }

step "the program without its files"
cp "$(command -v "$gradwire")" alone
status=0
./alone list > said 2>&1 || status=$?
if [ $status -ne 3 ] || ! grep -q "there is no share/gradwire beside" said; then cat said; exit 1; fi
./alone run compressor --synth mixed --packets 20 --quiet

echo "use: all works"
