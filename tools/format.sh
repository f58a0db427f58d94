#!/usr/bin/env bash
# C++ formatting: `tools/format.sh` rewrites, `tools/format.sh --check` only complains.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || {
  echo "format: clang-format is missing (tools/setup.sh test installs it)" >&2
  exit 1
}
# Every source says its licence; what tests feed to the program as somebody else's does not.
unlicensed=$(git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.cpp' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' \
  'rtl/*.sv' 'rtl/*.svh' ':!tests/lint' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
if [[ -n $unlicensed ]]; then
  echo "format: no line 'SPDX-License-Identifier: Apache-2.0' in ${unlicensed//$'\n'/, }" >&2
  exit 1
fi
# Versions lay out differently: ours is that of Debian 12.
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [[ $version != 14 ]]; then
  echo "format: clang-format is $version, and the project's layout that of 14 (Debian 12): nothing is checked or changed"
  exit 0
fi
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.cpp' | xargs clang-format "${mode[@]}"
echo "format: ok"
