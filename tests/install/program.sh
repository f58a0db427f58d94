#!/bin/sh
# Installs the program into a prefix of its own, hides the source tree, and uses it from another folder: program.sh BUILD
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$build" --component program --prefix "$place/prefix" > "$place/install.log"
cp "$root/tests/install/use.sh" "$place"
if grep -rlaF "$root" "$place/prefix"; then
  echo "what is installed names the source tree"
  exit 1
fi
# A mount namespace, in which an empty folder lies over the source tree; without the right to one, in a user namespace.
# shellcheck disable=SC2016 # expanded by the inner shell
hidden='mount -t tmpfs none "$1" && [ -z "$(ls -A "$1")" ] && exec sh "$2/use.sh" "$2/prefix/bin/gradwire" "$2/work"'
user=""
unshare --mount true 2> /dev/null || user="--user --map-root-user"
# shellcheck disable=SC2086 # options
if unshare $user --mount true 2> /dev/null; then
  cd "$place"
  unshare $user --mount sh -c "$hidden" hidden "$root" "$place"
else
  echo "no mount namespace here: the source tree stays visible"
  cd "$place"
  sh "$place/use.sh" "$place/prefix/bin/gradwire" "$place/work"
fi
