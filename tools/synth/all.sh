#!/bin/sh
# Area and longest-path estimate (with its band and the share of nets: estimate.py) of every top, one line each; arrays with
# four processing elements, profile fast.
# Arguments: what a top's name must contain, one of them. With registers (gw_..._axil) only those that are asked for: their cores
# are here anyway.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
# Without any, every name will do.
only=${*:-_}
cd "$root"
build=out/synth
rm -rf "$build/all"
mkdir -p "$build/all"

tops=""
for list in rtl/*/*.f; do
  top=$(basename "$list" .f)
  case $top in *_ports) continue ;; esac # wires around another top
  case $top,$only in *_axil,*axil*) ;; *_axil,*) continue ;; esac
  for part in $only; do
    case $top in *"$part"*) tops="$tops $top"; break ;; esac
  done
done
[ -n "$tops" ] || { echo "synth: no top's name contains '$only'" >&2; exit 2; }

# gw_mx with a residual memory of its default size, and without.
case " $tops " in *" gw_mx "*) tops="$tops gw_mx-Rows0" ;; esac
# shellcheck disable=SC2016,SC2086 # the inner shell expands them; a list of tops
printf '%s\n' $tops | xargs -P "$(nproc)" -I TOP sh -c '
  case $1 in
    gw_mx-Rows0) set -- gw_mx --set Rows=0 ;;
    gw_optimizer_array) set -- "$1" --set Lanes=4 --set Fast=1 ;;
    gw_optimizer | gw_switch | gw_optimizer_axil | gw_switch_axil) set -- "$1" --set Pes=4 --set Fast=1 ;;
  esac
  echo "synth: $1" >&2
  exec tools/synth/synth.sh "$@" --build "$0" --json "$0/all/TOP.json" >/dev/null' "$build" TOP

# shellcheck disable=SC2086 # a list of tops
python3 - "$build/all" $tops <<'EOF'
import json, sys

tools = set()
print(f"{'top':24} {'LUT':>7} {'FF':>7} {'DSP':>4} {'BRAM36':>6} {'ns':>6} {'band':>14} {'nets':>5}  longest")
for top in sys.argv[2:]:
    with open(f"{sys.argv[1]}/{top}.json", encoding="utf-8") as file:
        figures = json.load(file)
    tools.add(figures["tool"])
    used, longest = figures["used"], next(iter(figures["paths"]), None)
    line = f"{top:24} {used['LUT']:7} {used['FF']:7} {used['DSP']:4} {used['BRAM36']:6g} "
    if longest is None:
        print(line + f"{'-':>6}")
        continue
    low, high = longest["band_ns"]
    print(line + f"{longest['ns']:6.2f} {f'{low:.2f} .. {high:.2f}':>14} {longest['ns_nets'] / longest['ns']:5.0%}  "
          + longest["kind"])
print(", ".join(sorted(tools)))
EOF
