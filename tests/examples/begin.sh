# How scripts on the example begin, sourced: SCRIPT GRADWIRE FOLDER. An empty folder, a cache of its own, $gradwire and $example.
# shellcheck shell=sh disable=SC2034 # used by who sources it
# SPDX-License-Identifier: Apache-2.0
set -eu
gradwire=$1
folder=$2
. "$(dirname "$0")/../lend_runtime.sh"
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export XDG_CACHE_HOME="$folder/cache"
lend_runtime "$XDG_CACHE_HOME/gradwire"
example=$(dirname "$gradwire")/share/gradwire/examples/compressor
