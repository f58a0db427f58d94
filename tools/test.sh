#!/usr/bin/env bash
# Builds everything and runs every test but the slow ones: `tools/test.sh [ctest options]`.
# The slow, exhaustive ones have a command of their own: tools/test-slow.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
build=${BUILD:-build}
echo "test: building ($build/)"
tools/build.sh
ctest --test-dir "$build" --output-on-failure --label-exclude slow --parallel "$(nproc)" "$@"
