# How scripts on the example begin, sourced: SCRIPT GRADWIRE FOLDER. An empty folder, a cache of its own, $gradwire and $example.
# shellcheck shell=sh disable=SC2034 # used by who sources it
set -eu
gradwire=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export XDG_CACHE_HOME="$folder/cache"
example=$(dirname "$gradwire")/share/gradwire/examples/compressor
