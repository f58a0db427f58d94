#!/bin/sh
# Every signal that a waveform's save file names is in the waveform: save_file.sh GRADWIRE WAVE.fst run DEVICE OPTION...
# SPDX-License-Identifier: Apache-2.0
set -eu

gradwire=$1 wave=$2
shift 2
"$gradwire" "$@" --quiet --wave "$wave"
# Names with their scopes and ranges, as GTKWave looks them up.
fst2vcd -f "$wave" | awk '
  $1 == "$scope"   { path[depth++] = $3 }
  $1 == "$upscope" { depth-- }
  $1 == "$var"     { name = $5; if ($6 != "$end") name = name $6
                     for (i = depth; i-- > 0;) name = path[i] "." name
                     print name }
  $1 == "$enddefinitions" { exit }' | sort -u > "$wave.names"
# A line of a decoded field is `#{name} (bit)signal (bit)signal ...`.
sed '/^[][@*-]/d; /^$/d' "${wave%.fst}.gtkw" |
  awk '/^[#+][{]/ { sub(/^[#+][{][^}]*[}] */, ""); for (i = 1; i <= NF; ++i) { sub(/^[(][0-9]+[)]/, "", $i); print $i }; next } { print }' |
  sort -u > "$wave.named"
missing=$(comm -23 "$wave.named" "$wave.names")
if [ -n "$missing" ]; then echo "not in the waveform: $missing"; exit 1; fi
count=$(wc -l < "$wave.named")
[ "$count" -ge 20 ] || { echo "only $count signals are named"; exit 1; }
echo "all $count named signals are in the waveform"
