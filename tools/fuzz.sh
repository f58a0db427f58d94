#!/usr/bin/env bash
# Fuzzes: `tools/fuzz.sh [--runs N | --seconds N] [--plain] [--keep] [TARGET...]`, one target after the other, of tests/fuzz; all
# by default. Each begins with its corpus in tests/fuzz/corpora, prints executions, executions a second and findings, and exits with 1
# if there is one: its input is then in out/fuzz, and what runs it again is printed.
#   --runs N     executions a target, on each core (libFuzzer's forks share a corpus); default 100000
#   --seconds N  time a target instead
#   --plain      without AddressSanitizer and UndefinedBehaviorSanitizer
#   --keep       merges what reached new code into the corpora in the tree
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "fuzz: $1; usage: tools/fuzz.sh [--runs N | --seconds N] [--plain] [--keep] [TARGET...]" >&2
  exit 2
}
runs=100000 seconds=0 sanitize=ON keep=0 targets=()
while (($# > 0)); do
  case $1 in
    --runs | --seconds)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage "$1 wants a number above 0"
      declare "${1#--}=$2"
      shift
      ;;
    --plain) sanitize=OFF ;;
    --keep) keep=1 ;;
    -*) usage "there is no option $1" ;;
    *)
      grep -q "^gw_add_fuzz_target($1 " tests/fuzz/CMakeLists.txt || usage "there is no target '$1'"
      targets+=("$1")
      ;;
  esac
  shift
done
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(sed -n 's/^gw_add_fuzz_target(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
fi

tools/setup.sh clang
build=build-fuzz
[[ $sanitize == ON ]] || build=build-fuzz-plain
BUILD=$build CMAKE_ARGS="-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DGRADWIRE_FUZZ=ON -DGRADWIRE_SANITIZE=$sanitize" \
  tools/build.sh "${targets[@]/#/fuzz_}"

findings=0
for target in "${targets[@]}"; do
  out=out/fuzz/$target
  mkdir -p "$out/corpus" "$out/findings"
  limit=(-runs="$runs")
  ((seconds == 0)) || limit=(-max_total_time="$seconds")
  log=$out/log
  status=0
  "$build/tests/fuzz/fuzz_$target" "${limit[@]}" -seed=1 -timeout=20 -rss_limit_mb=4096 -max_len=16384 -len_control=20 \
    -print_final_stats=1 -artifact_prefix="$out/findings/" "$out/corpus" "tests/fuzz/corpora/$target" > "$log" 2>&1 || status=$?
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  features=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1) || true
  printf '%-14s %10s executions %8s/s  %s\n' "$target" "${executed:-0}" "${rate:-0}" "${features:-}"
  if ((status != 0)); then
    findings=$((findings + 1))
    grep -E '^(finding:|==.*ERROR|SUMMARY|Test unit written)' "$log" || tail -n 20 "$log"
    echo "  again: $build/tests/fuzz/fuzz_$target $(sed -n 's/^artifact_prefix=.*Test unit written to //p' "$log" | tail -n 1)"
  fi
  if ((keep == 1)); then
    "$build/tests/fuzz/fuzz_$target" -merge=1 -max_len=4096 "tests/fuzz/corpora/$target" "$out/corpus" >> "$log" 2>&1
    echo "  corpus: $(find "tests/fuzz/corpora/$target" -type f | wc -l) inputs, $(du -sb "tests/fuzz/corpora/$target" | cut -f 1) bytes"
  fi
done
echo "fuzz: ${#targets[@]} targets, $findings findings"
((findings == 0))
