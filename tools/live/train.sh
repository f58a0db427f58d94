#!/usr/bin/env bash
# Trains the HDC network with N workers whose gradients go through N simulated NICs, once without packing and once with it, and says
# what that did to loss, accuracy, and the bytes on the wire; and how the ratio changes with the iterations.
#
#   tools/live/train.sh [--workers N] [--iterations N] [--bound K] [--mtu M] [--data DIR] [--live OPTIONS] [--pcap DIR]
#
#   --workers N      4
#   --iterations N   of the training (200)
#   --bound K        error bound 2^-K of NICs and workers (10)
#   --mtu M          of all interfaces (1500)
#   --data DIR       folder of the MNIST files (idx, gz); without it digits are drawn
#   --live OPTIONS   more options of `gradwire live`: '--engine model'
#   --pcap DIR       the packed run's captures: nicN-tx.pcapng, nicN-rx.pcapng
#
# BUILD in the environment names the build's folder (build).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/live/signals.sh
source "$root/tools/live/signals.sh"

die() {
  echo "train: $*" >&2
  exit 2
}
usage() {
  sed -n '2,/^set /{/^set /d;/^# SPDX/d;s/^# \{0,1\}//;p}' "$0"
}
workers=4 iterations=200 bound=10 mtu=1500 data="" live="" pcap=""
while (($# > 0)); do
  case $1 in
    --workers | --iterations | --bound | --mtu | --data | --live | --pcap)
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
if [[ ! $mtu =~ ^[1-9][0-9]{2,3}$ ]] || ((mtu < 576 || mtu > 9000)); then die "--mtu '$mtu' is not between 576 and 9000"; fi
build=$(realpath "${BUILD:-$root/build}")
worker=$build/tools/capture/gradwire-capture
[[ -x $worker ]] || die "$worker is not there: build it (it needs Eigen and zlib)"

addresses=$(seq -s, -f '10.77.0.%g' "$workers")
command="'$worker' worker --addresses $addresses --no-capture --iterations $iterations"
if [[ -n $data ]]; then command+=" --data '$(realpath "$data")'"; fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# train NAME OPTIONS-OF-LIVE OPTIONS-OF-WORKERS [FOLDER-OF-CAPTURES]
train() {
  local out tee code=0
  echo "== $1"
  # Ctrl-C ends live.sh; what that still says arrives.
  exec {out}> >(exec tee -i "$logs/$1.log")
  tee=$!
  env --default-signal=INT,QUIT "$root/tools/live/live.sh" --program "$build/gradwire" --hosts "$workers" --mtu "$mtu" --logs "$logs/$1" \
    --live "$live $2" ${4:+--pcap "$4"} --serve "exec $command $3 --rank \$((GRADWIRE_HOST - 1))" \
    -- bash -c "exec $command $3 --rank 0" <&0 >&"$out" &
  exec {out}>&-
  until_over $! || code=$?
  wait "$tee"
  if ((code != 0)); then
    echo "train: the $1 run ended early, with exit code $code" >&2
    exit "$code"
  fi
}
train plain --no-pack ""
# What worker 0 sends in an iteration: so much of its stream is one.
bytes=$(sed -n 's/.* \([0-9][0-9]*\) bytes an iteration .*/\1/p' "$logs/plain.log")
[[ -n $bytes ]] || die "the trainer does not say how many bytes an iteration has"
train packed "--bound $bound --window $bytes" "--quantise $bound" "$pcap"

python3 - "$logs" "$bound" "$iterations" << 'PY'
import json, pathlib, shutil, subprocess, sys
logs, bound, iterations = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
OVERHEAD = 24  # preamble, FCS, gap; frames have 60 bytes at least, so 84 with these
MS = 8e-7  # a byte, at 10 Gb/s


def nics(name):
    return [json.loads(f.read_text())["live"]["tx"] for f in sorted((logs / name).glob("nic*.json"))]


def wire(name):
    keys = ("frames_out", "bytes_out", "packed_frames", "packed_bytes_long", "packed_bytes_short")
    total = {k: sum(n[k] for n in nics(name)) for k in keys}
    total["ms"] = max((n["bytes_out"] + OVERHEAD * n["frames_out"]) * MS for n in nics(name))
    return total


# Each window of worker 0's stream is an iteration.
windows = nics("packed")[0]["windows"]["of"]
if len(windows) != iterations:
    sys.exit(f"train: worker 0 sent {len(windows)} iterations of {iterations}")


def share(first, last):
    part = {k: sum(w[k] for w in windows[first:last]) / (last - first) for k in windows[0]}
    ms = [(part[k] + OVERHEAD * part["frames"]) * MS for k in ("bytes_short", "bytes_long")]
    return part["bytes_long"] / part["bytes_short"], *ms


step = -(-iterations // 20)
print(f"\n{'worker 0, iterations':24}{'ratio':>9}{'10GbE ms, packed':>18}{'as it was sent':>16}")
for first in range(0, iterations, step):
    last = min(first + step, iterations)
    ratio, packed_ms, plain_ms = share(first, last)
    name = f"{first + 1} to {last}" if last > first + 1 else f"{last}"
    print(f"{name:24}{ratio:9.2f}{packed_ms:18.3f}{plain_ms:16.3f}")
if iterations > 1 and shutil.which("gnuplot"):
    script = "set terminal dumb size 100, 24; unset key; set xlabel 'iteration'; set ylabel 'ratio'; plot '-' with lines\n"
    points = "".join(f"{i + 1} {share(i, i + 1)[0]}\n" for i in range(iterations))
    subprocess.run(["gnuplot"], input=script + points + "e\n", text=True, check=True)

packed, plain = wire("packed"), wire("plain")
print(f"\n{'on the wire':24}{'packed, 2^-' + bound:>18}{'plain':>14}{'ratio':>9}")
for name, key, unit in (("frames", "frames_out", ""), ("MB", "bytes_out", 1e6), ("10GbE ms, busiest link", "ms", "")):
    a, b = packed[key], plain[key]
    show = (lambda v: f"{v / unit:,.2f}") if unit else (lambda v: f"{v:,.2f}" if isinstance(v, float) else f"{v:,}")
    print(f"{name:24}{show(a):>18}{show(b):>14}{b / a if a else 0:9.2f}")
print(f"{packed['packed_frames']:,} frames packed, {packed['packed_bytes_long'] / max(1, packed['packed_bytes_short']):.2f} to 1")
PY
