#!/usr/bin/env bash
# C++ formatting: `tools/format.sh` rewrites, `tools/format.sh --check` only complains.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || {
  echo "format: clang-format is missing (tools/setup.sh installs it)" >&2
  exit 1
}
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.cpp' | xargs clang-format "${mode[@]}"
echo "format: ok"
