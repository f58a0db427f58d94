#!/usr/bin/env bash
# Builds everything and runs every test but the slow ones: `tools/test.sh [ctest options]`.
# The slow, exhaustive ones have a command of their own: tools/test-slow.sh. EXCLUDE names other labels to leave out
# (ctest leaves out only what matches every one of several --label-exclude, so there is one).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
build=${BUILD:-build}
echo "test: building ($build/)"
tools/build.sh
ctest --test-dir "$build" --output-on-failure --label-exclude "${EXCLUDE:-slow}" --parallel "$(nproc)" "$@"
