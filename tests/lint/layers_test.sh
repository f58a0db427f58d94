#!/usr/bin/env bash
# tools/lint/layers.py: the tree follows its layers, and an include that does not is found.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python3 "$root/tools/lint/layers.py" "$root"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git -C "$folder" init --quiet
mkdir -p "$folder"/{sim/base,sim/run,models/reference/nic,models/reference/quant,models/systemc,testbenches/{codec,quant,fp},sim/cellar}
touch "$folder"/{sim/run/run.h,models/reference/codec.h,models/reference/nic/nic.h,testbenches/codec/options.h,sim/base/error.h,testbenches/codec/{un,de}coder.card.toml,testbenches/quant/mx.card.toml}
echo '#include "sim/base/error.h"' > "$folder/sim/run/good.cc"
echo '#include "models/reference/codec.h"' > "$folder/testbenches/quant/good.cc"  # a family, as its card says
python3 "$root/tools/lint/layers.py" "$folder" || exit 1

wrong() {  # FILE INCLUDE WORDS
  printf '#include "%s"\n' "$2" > "$folder/$1"
  said=$(python3 "$root/tools/lint/layers.py" "$folder") && { echo "layers_test: $1 may include $2"; exit 1; }
  [[ $said == *"$1:1: "*"$3"* ]] || { echo "layers_test: $1 including $2 says: $said"; exit 1; }
  rm "$folder/$1"
}
wrong sim/base/up.cc sim/run/run.h "may not include sim/run/run.h"
wrong models/systemc/core.cc models/reference/codec.h "may not include"
wrong models/reference/quant/codec.cc models/reference/nic/nic.h "may not include"
wrong models/reference/below.cc models/reference/nic/nic.h "may not include"
wrong testbenches/quant/options.cc testbenches/codec/options.h "may not include"
wrong testbenches/fp/options.cc models/reference/codec.h "may not include"
wrong sim/cellar/new.cc sim/base/error.h "say there what it may include"
echo "layers_test: ok"
