#!/usr/bin/env bash
# Scripts whose usage is the comment that they begin with print it, and not the line of the licence: usage.sh SOURCES
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
for script in tools/live/live.sh tools/live/train.sh tools/try-debian.sh; do
  said=$("$1/$script" --help 2>&1) || true
  [[ $said == *"$script"* && $said != *SPDX* ]] || {
    echo "usage: $script --help prints: $said"
    exit 1
  }
done
