# Sourced: lend_runtime FOLDER. A cache of a test's own begins with the simulator's runtime from the cache of all tests ($GW_TEST_CACHE), if
# it lies there by now: it would be the same again.
# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
lend_runtime() {
  mkdir -p "$1"
  chmod 700 "$1"
  for entry in "${GW_TEST_CACHE:-}"/verilated_*; do
    [ ! -d "$entry" ] || cp -rp "$entry" "$1"
  done
}
