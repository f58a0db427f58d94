#!/usr/bin/env bash
# Trains the HDC network with N workers whose gradients go through N simulated NICs, then once more without packing, and says
# what that did to loss, accuracy, and the bytes on the wire.
#
#   tools/live/train.sh [--workers N] [--iterations N] [--bound K] [--data DIR] [--live OPTIONS] [--pcap DIR]
#
#   --workers N      4
#   --iterations N   of the training (200)
#   --bound K        error bound 2^-K of NICs and workers (10)
#   --data DIR       folder of the MNIST files (idx, gz); without it digits are drawn
#   --live OPTIONS   more options of `gradwire live`: '--engine model'
#   --pcap DIR       the packed run's captures: nicN-tx.pcapng, nicN-rx.pcapng
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

die() {
  echo "train: $*" >&2
  exit 2
}
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
}
workers=4 iterations=200 bound=10 data="" live="" pcap=""
while (($# > 0)); do
  case $1 in
    --workers | --iterations | --bound | --data | --live | --pcap)
      (($# > 1)) || die "$1 needs a value"
      declare "${1#--}=$2"
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "'$1' is no option (try --help)" ;;
  esac
done
[[ $workers =~ ^[2-8]$ ]] || die "--workers '$workers' is not between 2 and 8"
[[ $iterations =~ ^[1-9][0-9]{0,5}$ ]] || die "--iterations '$iterations' is no number of iterations"
[[ $bound =~ ^([1-9]|1[0-4])$ ]] || die "--bound '$bound' is not between 1 and 14"
worker=$root/build/tools/capture/gradwire-capture
[[ -x $worker ]] || die "$worker is not there: build it (it needs Eigen and zlib)"

addresses=$(seq -s, -f '10.77.0.%g' "$workers")
command="'$worker' worker --addresses $addresses --no-capture --iterations $iterations"
if [[ -n $data ]]; then command+=" --data '$(realpath "$data")'"; fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# train NAME OPTIONS-OF-LIVE OPTIONS-OF-WORKERS [FOLDER-OF-CAPTURES]
train() {
  echo "== $1"
  "$root/tools/live/live.sh" --hosts "$workers" --logs "$logs/$1" --live "$live $2" ${4:+--pcap "$4"} \
    --serve "exec $command $3 --rank \$((GRADWIRE_HOST - 1))" -- bash -c "exec $command $3 --rank 0"
}
train packed "--bound $bound" "--quantise $bound" "$pcap"
train plain --no-pack ""

python3 - "$logs" "$bound" << 'PY'
import json, pathlib, sys
logs, bound = pathlib.Path(sys.argv[1]), sys.argv[2]
OVERHEAD = 24  # preamble, FCS, gap
def wire(name):
    nics = [json.loads(f.read_text())["live"]["tx"] for f in sorted((logs / name).glob("nic*.json"))]
    total = {k: sum(n[k] for n in nics) for k in ("frames_out", "bytes_out", "packed_frames", "packed_bytes_long", "packed_bytes_short")}
    # Frames have 60 bytes at least, so 84 with what goes around them.
    total["ms"] = max((n["bytes_out"] + OVERHEAD * n["frames_out"]) * 8e-7 for n in nics)
    return total
packed, plain = wire("packed"), wire("plain")
print(f"\n{'on the wire':24}{'packed, 2^-' + bound:>18}{'plain':>14}{'ratio':>9}")
for name, key, unit in (("frames", "frames_out", ""), ("MB", "bytes_out", 1e6), ("10GbE ms, busiest link", "ms", "")):
    a, b = packed[key], plain[key]
    show = (lambda v: f"{v / unit:,.2f}") if unit else (lambda v: f"{v:,.2f}" if isinstance(v, float) else f"{v:,}")
    print(f"{name:24}{show(a):>18}{show(b):>14}{b / a if a else 0:9.2f}")
print(f"{packed['packed_frames']:,} frames packed, {packed['packed_bytes_long'] / max(1, packed['packed_bytes_short']):.2f} to 1")
PY
