#!/bin/sh
# The generator itself: it finds each kind of file that is not what the description makes, and refuses descriptions that cannot be.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() {
  failed=$((failed + 1))
  echo "registers: $1"
  sed 's/^/  /' "$work/said"
}
fresh() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/rtl" "$work/tree/models" "$work/tree/docs" "$work/tree/tools"
  for folder in rtl models docs tools; do cp -r "$root/$folder/registers" "$work/tree/$folder/"; done
}
generate() { "$work/tree/tools/registers/generate.py" "$@" > "$work/said" 2>&1; }

fresh
generate --check || wrong "what was generated is not what is generated"
for file in rtl/registers/gw_switch_registers.sv rtl/registers/gw_decompressor_axil.sv models/registers/parser.h docs/registers/optimizer.md; do
  echo >> "$work/tree/$file"
  if generate --check || ! grep -q "^registers: $file is not what" "$work/said"; then wrong "a change in $file is not found"; fi
  generate || wrong "nothing is written"
  cmp -s "$root/$file" "$work/tree/$file" || wrong "$file is not written anew"
done
rm "$work/tree/docs/registers/aggregator.md"
if generate --check; then wrong "a missing page is not found"; fi

# refused SED FILE SAYS: the description, changed, is refused with the sentence.
refused() {
  fresh
  sed -i -e "$1" "$work/tree/rtl/registers/$2"
  ! cmp -s "$root/rtl/registers/$2" "$work/tree/rtl/registers/$2" || wrong "nothing is planted in $2"
  status=0
  generate --check || status=$?
  if [ $status -ne 2 ] || ! grep -q "$3" "$work/said"; then wrong "'$1' is not refused"; fi
}
refused 's/at = 0x01C/at = 0x018/' job.toml "is there twice"
refused 's/at = 0x01C/at = 0x01E/' job.toml "cannot be at 0x1e"
refused 's/access = "wo"/access = "w"/' job.toml "is none of ro, rw, wo"
refused 's/bits = \[3, 0\]/bits = [8, 0]/' codec.toml "lies on another field"
refused 's/legal = \[1, 14\]/legal = [1, 16]/' codec.toml "do not fit"
refused 's/word = 9/word = 10/' optimization.toml "is not where its word is"
refused 's/"optimization"/"optimisation"/' optimizer.toml "there is no rtl/registers/optimisation.toml"
refused 's/^Algorithm = .*//' optimizer.toml "depends on Algorithm"
refused 's/store = "pulse"/store = "input"/' job.toml "cannot be wo in store"
echo "registers: generator, $failed failed"
[ $failed -eq 0 ]
