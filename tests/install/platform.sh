#!/bin/sh
# Installs the models into a new prefix, moves that elsewhere, and builds and runs a platform of its own against it:
# platform.sh BUILD FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cmake --install "$build" --component models --prefix "$folder/first" > "$folder/install.log"
mv "$folder/first" "$folder/prefix" # whatever names the prefix would break now
root=$(cd "$here/../.." && pwd)
if grep -rqF "$root" "$folder/prefix" --include='*.cmake' --include='*.h'; then
  echo "what is installed names the source tree:"
  grep -rF "$root" "$folder/prefix" --include='*.cmake' --include='*.h'
  exit 1
fi

# configured FIND_PACKAGE...: a project that asks for this finds the package.
configured() {
  mkdir -p "$folder/asks"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES CXX)\nfind_package(%s)\n' "$*" > "$folder/asks/CMakeLists.txt"
  cmake -S "$folder/asks" -B "$folder/asks/build" -DCMAKE_PREFIX_PATH="$folder/prefix" > "$folder/asks.log" 2>&1
}
configured gradwire 0.2.0 EXACT REQUIRED || { cat "$folder/asks.log"; exit 1; }
if configured gradwire 0.3 REQUIRED; then echo "version 0.3 is found"; exit 1; fi
if configured gradwire 1.0 REQUIRED; then echo "version 1.0 is found"; exit 1; fi
if configured gradwire 0.1 REQUIRED; then echo "version 0.1 is found"; exit 1; fi

cmake -S "$here/platform" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" > "$folder/cmake.log"
cmake --build "$folder/build" > "$folder/build.log" || { cat "$folder/build.log"; exit 1; }
for bound in 1 10 14; do
  "$folder/build/platform" $bound
done
"$folder/build/switch"
"$folder/build/mx"
# The check of the platform is one: another bound in the decompressor must fail.
if "$folder/build/platform" 10 9; then echo "a wrong bound passes"; exit 1; fi
