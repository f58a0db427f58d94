#!/usr/bin/env bash
# RTL that looks at the pins of a packet when it should not fails in the cases of plans/smoke.toml: live_pins.sh GRADWIRE SOURCES FOLDER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
gradwire=$1 sources=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# faulty DEVICE FAULT FILE OLD NEW: a list of the device's RTL, in which NEW stands in the place of OLD, which stands in FILE once.
faulty() {
  python3 - "$sources" "$@" <<'PY'
import pathlib
import sys
sources, device, fault, file, old, new = sys.argv[1:]
text = (pathlib.Path(sources) / file).read_text()
assert text.count(old) == 1, f"'{old}' stands {text.count(old)} times in {file}"
changed = pathlib.Path(f"{fault}.sv").absolute()
changed.write_text(text.replace(old, new))
lines = (pathlib.Path(sources) / f"rtl/codec/gw_{device}.f").read_text().split()
pathlib.Path(f"{fault}.f").write_text("".join(f"{changed if line == file else pathlib.Path(sources) / line}\n" for line in lines))
PY
}
# ends CODE DEVICE FAULT OPTIONS...: a case of plans/smoke.toml.
ends() {
  local code=$1 device=$2 fault=$3 status=0
  shift 3
  "$gradwire" run "$device" --rtl "$fault.f" --top "gw_$device" --quick-build "$@" > "$fault.said" 2>&1 || status=$?
  [[ $status -eq $code ]] && grep -q "^ *FAIL " "$fault.said" || { echo "live_pins: $fault: run $device $* ends with $status, not $code"; cat "$fault.said"; exit 1; }
}
hostile="--random $sources/plans/random.toml#hostile"

# Decodes each group with what the pins show then, not with what came with the packet's first beat.
faulty decompressor live rtl/codec/gw_decompressor.sv '.ceiling_i    (ceiling)' '.ceiling_i    (gw_codec_pkg::ceiling(bound_i, bounded_i))'
# shellcheck disable=SC2086 # options
{
  ends 1 decompressor live $hostile --packets 300
  ends 1 decompressor live --synth mixed  # also where bound and mode are the same for all packets
  ends 1 decompressor live --trace "$sources/traces/hdc-ring-late.pcap"
}

# Takes bound and mode with each beat.
faulty compressor latched rtl/codec/gw_compression_unit.sv 'if (valid_i & first_q) begin' 'if (valid_i) begin'
# Takes them in every cycle, so that a packet's last beat has the next one's.
faulty compressor always rtl/codec/gw_compression_unit.sv 'if (valid_i & first_q) begin' 'begin'
# Does not know after a reset that a packet begins.
faulty compressor begun rtl/codec/gw_compression_unit.sv 'if (!rst_ni) first_q <= 1'"'"'b1;
    else if (valid_i) first_q' 'if (valid_i) first_q'
# shellcheck disable=SC2086 # options
{
  ends 1 compressor latched $hostile --packets 300
  ends 1 compressor latched --synth mixed
  ends 1 compressor always $hostile --packets 300
  ends 1 compressor begun $hostile --packets 60 --reset-after 150
}
