#!/usr/bin/env bash
# The exhaustive tests: every value there is. About half an hour on two cores; `tools/test-slow.sh -R NAME` runs some.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh
mkdir -p out
ctest --test-dir build --label-regex slow --parallel "$(nproc)" --verbose "$@" | tee out/test-slow.log
echo "test-slow: results in out/test-slow.log"
