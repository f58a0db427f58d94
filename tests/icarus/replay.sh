#!/bin/sh
# Records a run and replays it in Icarus: replay.sh GRADWIRE FOLDER 'FILE SED' run DEVICE OPTION...
# FILE SED, if it is not empty: a line of RTL that is made wrong; the bench must notice that, a wrong bit, and a lost end.
# SPDX-License-Identifier: Apache-2.0
set -eu

gradwire=$1 folder=$2 wrong=$3
shift 3
"$gradwire" "$@" --quiet --sv-bench "$folder"
tail -n +2 "$folder/files.f" > "$folder/sources"
"$folder/run.sh" | tee "$folder/log"
grep -q '^PASS cycles=[1-9]' "$folder/log"
[ -n "$wrong" ] || exit 0

cd "$folder"
must_fail() {  # must_fail WHAT SIGNAL PROGRAM
  if vvp -n "$3" "+vectors=$4" > log 2>&1 || ! grep -q "$2" log; then
    echo "$1 was not noticed:"; cat log; exit 1
  fi
  echo "$1 is noticed: $(head -n 1 log)"
}
# The first digit of a longest line is data that the device must show.
longest=$(awk 'length > most { most = length; line = NR } END { print line }' vectors.hex)
sed "$longest{s/^[2-9a-f]/1/;t;s/^1/2/}" vectors.hex > wrong.hex
tb=$(basename gw_*_tb.vvp)
must_fail "A wrong beat" '^FAIL cycle=[0-9]* signal=m_axis' "$tb" wrong.hex
sed '$d' vectors.hex > short.hex
must_fail "A lost end" 'ends early' "$tb" short.hex
file=${wrong%% *}
path=$(grep "/$file\$" sources)
sed "${wrong#* }" "$path" > "$file"
if cmp -s "$path" "$file"; then echo "sed finds no line in $file"; exit 1; fi
sed "s|.*/$file\$|$file|" sources > wrong.f
iverilog -g2012 -f wrong.f -s "${tb%.vvp}" -o wrong.vvp "${tb%.vvp}.sv"
must_fail "Wrong RTL" '^FAIL cycle=[-0-9]* signal=' wrong.vvp vectors.hex
