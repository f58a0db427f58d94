#!/usr/bin/env bash
# The main job on a captured trace: compressor, then decompressor, each as RTL, SystemC model and reference in
# lockstep; then the blocks of the optimizer switch, and the switch, on frames made of captured gradients. Leaves reports
# and waveforms in out/demo.
# SPDX-License-Identifier: Apache-2.0
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
frames=traces/expether-workers.pcap
for device in parser aggregator optimizer switch; do
  echo
  echo "demo: $device on $frames"
  build/gradwire run "$device" --trace "$frames" --html "$out/$device.html" --json "$out/$device.json"
done
build/gradwire run aggregator --trace "$frames" --packets 40 --quiet --wave "$out/aggregator.fst"
echo
echo "demo: four ports at 100 % of 10GbE, gradient frames through the switch"
build/gradwire run switch --synth gradient-192 --packets 8000 --workers 1 \
  --json "$out/line-rate.json" | grep -E 'line rate|dropped|PASS|FAIL'
echo
echo "demo: reports   $out/{compressor,decompressor,parser,aggregator,optimizer,switch}.html"
echo "demo: waveforms gtkwave $out/compressor.gtkw    gtkwave $out/decompressor.gtkw    gtkwave $out/aggregator.gtkw"
