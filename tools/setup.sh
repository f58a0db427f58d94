#!/usr/bin/env bash
# Installs what is missing of tools/packages.txt to build gradwire and to use it; says what it does; does nothing, and needs no
# network, once all is there. `tools/setup.sh test`: also what the tests run; `tools/setup.sh clang`: also what fuzzing and
# sanitizers need.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

parts="run models look build $*"
for part in $parts; do
  sed 's/#.*//' tools/packages.txt | awk -v part="$part" '$2 == part { found = 1 } END { exit !found }' || {
    echo "setup: tools/packages.txt has no part '$part'" >&2
    exit 2
  }
done
wanted=$(sed 's/#.*//' tools/packages.txt | awk -v parts=" $parts " 'NF > 0 && index(parts, " " $2 " ") { print $1 }')
command -v dpkg-query > /dev/null || {
  echo "setup: this machine has no dpkg: install the equivalents of tools/packages.txt by hand" >&2
  exit 1
}
missing=()
for package in $wanted; do
  [[ $(dpkg-query -W -f='${Status}' "$package" 2> /dev/null) == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "setup: all packages are installed (${parts% })"
  exit 0
fi
as_root=()
if ((EUID != 0)); then
  command -v sudo > /dev/null || {
    echo "setup: missing packages need root to install: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
# Programs are wanted, not the services that some of them come with: none is started.
policy=/usr/sbin/policy-rc.d
own_policy=()
if [[ ! -e $policy ]]; then
  own_policy=("$policy")
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" > /dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
trap '"${as_root[@]}" rm -f "$log" "${own_policy[@]}"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: installing failed, see above: ${missing[*]}" >&2
  exit 1
fi
echo "setup: done"
