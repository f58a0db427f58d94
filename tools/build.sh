#!/usr/bin/env bash
# Configures and builds into build/ (or $BUILD): `tools/build.sh [target ...]`.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
[[ -f $build/build.ninja ]] || cmake -S . -B "$build" -G Ninja ${CMAKE_ARGS:-} > "$build.log" 2>&1 || {
  cat "$build.log" >&2
  echo "build: configuring failed, see above" >&2
  exit 1
}
rm -f "$build.log"
cmake --build "$build" --parallel "$(nproc)" ${1:+--target "$@"}
