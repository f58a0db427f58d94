#!/usr/bin/env bash
# rtl/fp, subnormals kept, against the vectors of Berkeley TestFloat, whose generator is no Debian package:
#   TESTFLOAT_GEN=.../testfloat_gen tests/fp/testfloat.sh [LEVEL] [SEED]     default 2, 1
# NaN are compared as NaN: which one results is ours to choose (docs/blocks/fp.md).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
gradwire=${GRADWIRE:-$root/build/gradwire}
generator=${TESTFLOAT_GEN:-testfloat_gen}
level=${1:-2}
seed=${2:-1}
[[ -x $gradwire ]] || { echo "testfloat: no $gradwire; run tools/build.sh" >&2; exit 1; }
command -v "$generator" > /dev/null || {
  echo "testfloat: no $generator; build it from Berkeley TestFloat 3e and name it in TESTFLOAT_GEN" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for operator in add sub mul div sqrt lt; do
  expected=4  # column, behind the result and the operands
  [[ $operator == sqrt ]] && expected=3
  "$generator" -level "$level" -seed "$seed" -rnear_even "f32_$operator" > "$work/vectors" 2> "$work/log" || {
    tail -n 1 "$work/log" >&2
    exit 1
  }
  "$gradwire" fp "$operator" --subnormal 1 < "$work/vectors" > "$work/results"
  paste -d ' ' "$work/results" "$work/vectors" | awk -v operator="$operator" -v column="$expected" '
    function nan(word) { return word ~ /^[7f]f[89a-f]/ && word !~ /^[7f]f800000$/ }
    {
      want = tolower($column)
      got = operator == "lt" ? $1 + 0 : $1
      if (got == want || (operator != "lt" && nan(want) && got == "7fc00000")) next
      if (++differ <= 5) print operator ": " $0
    }
    END {
      printf "%-4s level %s: %d cases, %d differ\n", operator, "'"$level"'", NR, differ
      exit differ > 0 || NR == 0
    }' || failed=1
done
exit $failed
