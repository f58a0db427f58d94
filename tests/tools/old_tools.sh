#!/bin/sh
# Tools older than the oldest tried end the configuration with one sentence, not a page of the compiler.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/include"
failed=0

# refused NAME SENTENCE OPTION...: configuring with the options says the sentence.
refused() {
  name=$1
  sentence=$2
  shift 2
  rm -rf "$work/build"
  if cmake -S "$root" -B "$work/build" -G Ninja "$@" > "$work/said" 2>&1 || ! tr '\n' ' ' < "$work/said" | tr -s ' ' |
    grep -qF "$sentence"; then
    failed=$((failed + 1))
    echo "old tools: $name is not refused by '$sentence'"
    sed 's/^/  /' "$work/said"
  fi
}

printf '#!/bin/sh\necho "Verilator 4.228 2022-10-01 rev v4.228"\n' > "$work/bin/verilator"
chmod +x "$work/bin/verilator"
refused Verilator "Verilator 4.228 is too old: gradwire was tried with 5.006 (Debian 12) and newer." \
  "-DVERILATOR=$work/bin/verilator"

printf '#define SC_VERSION_MAJOR 2\n#define SC_VERSION_MINOR 3\n#define SC_VERSION_PATCH 1\n' > "$work/include/systemc"
refused SystemC "SystemC 2.3.1 is too old: gradwire was tried with 2.3.4 (Debian 12) and newer." \
  "-DCMAKE_CXX_FLAGS=-I$work/include"

echo "old tools: $failed of 2 failed"
[ $failed -eq 0 ]
