#!/usr/bin/env bash
# Builds everything and runs every test but the slow ones: `tools/test.sh [ctest options]`.
# The slow, exhaustive ones have a command of their own: tools/test-slow.sh. EXCLUDE names other labels to leave out
# (ctest leaves out only what matches every one of several --label-exclude, so there is one).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
build=${BUILD:-build}
echo "test: building ($build/)"
tools/build.sh
# Tests build RTL in empty caches of their own, and often the same: the compiler sees it once. What it made lies in the build
# folder, so that nothing of before hides what no longer compiles.
if [[ -d /usr/lib/ccache ]]; then
  export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$PWD/$build/tests/ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
ctest --test-dir "$build" --output-on-failure --label-exclude "${EXCLUDE:-slow}" --parallel "$(nproc)" "$@"
