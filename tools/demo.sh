#!/usr/bin/env bash
# The main job on a captured trace: compressor, then decompressor, each as RTL, SystemC model and reference in
# lockstep. Leaves reports and waveforms in out/demo.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
echo "demo: building (build/)"
tools/build.sh gradwire
out=out/demo
mkdir -p "$out"
trace=traces/hdc-ring-early.pcap
for device in compressor decompressor; do
  echo
  echo "demo: $device on $trace"
  build/gradwire run "$device" --trace "$trace" --html "$out/$device.html" --json "$out/$device.json"
  # A window of the waveform under stalls, where handshakes are worth looking at.
  build/gradwire run "$device" --trace "$trace" --packets 20 --stall both:20 --quiet \
    --wave "$out/$device.fst"
done
echo
echo "demo: reports   $out/compressor.html $out/decompressor.html"
echo "demo: waveforms gtkwave $out/compressor.gtkw    gtkwave $out/decompressor.gtkw"
