#!/bin/sh
# The worked example of docs/own-rtl.md does what the page says: compressor.sh GRADWIRE FOLDER
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
serial="--rtl $example/serial_compressor.f --top serial_compressor"
mended="--rtl $example/serial_compressor_fixed.f --top serial_compressor"

# expect CODE COMMAND...
expect() {
  code=$1
  shift
  status=0
  "$@" > said 2>&1 || status=$?
  [ $status -eq "$code" ] || { echo "example: $* ends with $status, not $code"; cat said; exit 1; }
}
# says WORDS: in what the command said.
says() {
  grep -q -e "$1" said || { echo "example: '$1' is not said"; cat said; exit 1; }
}

# shellcheck disable=SC2086 # options
{
  # Other cycles than the contract's: the model is no help, reference and rules are.
  expect 1 "$gradwire" run compressor $serial --synth gradients --packets 50
  says "engines disagree"
  expect 0 "$gradwire" run compressor $serial --synth gradients --packets 50 --check reference,protocol
  says "cycles are free: no lockstep"
  says "lockstep *not checked"

  # The plan finds the corner; with one define it is gone.
  expect 1 "$gradwire" regress "$example/plan.toml" --out found
  expect 0 "$gradwire" regress "$example/plan.toml" --out mended --device compressor $mended
  expect 0 "$gradwire" run compressor $mended --synth raw --check reference,protocol

  # Plans that come with the program, by name: its function passes; a rate that the plan expects it does not have.
  smoke="$gradwire regress smoke --device compressor $mended --check reference,protocol --shrink off"
  expect 0 $smoke --only 'codec-irregular/*' --out smoke  # a folder that is called as the plan is, from now on
  says "PASS *12 of 12 cases"
  expect 1 $smoke --only 'codec-rate/*/mixed.pcap/*' --out rate
  says "cycles_per_burst is 10.* expected <= 1.001"
  says "FAIL *2 of 2 cases failed"

  # Two RTLs in one process: the same until the corner, then it is said which had which beat.
  expect 0 "$gradwire" run compressor $serial --against "$example/serial_compressor_fixed.f" --synth gradients
  expect 1 "$gradwire" run compressor $serial --against "$example/serial_compressor_fixed.f" --synth raw
  says "engines disagree"
  says "/serial_compressor.f"  # lines are as wide as the terminal: a path may stand on one of its own
  says "/serial_compressor_fixed.f"
  expect 1 "$gradwire" run compressor --against "$example/serial_compressor.f" --against-top serial_compressor --synth gradients
  says "gw_compressor of gradwire"
}
python3 - <<'PY'
import json
with open("found/regress.json", encoding="utf-8") as file:
    cases = json.load(file)["cases"]
failed = [case["name"] for case in cases if case["verdict"] != "pass"]
print(f"example: {len(failed)} of {len(cases)} cases find the corner:", *failed, sep="\n  ")
# Captures of gradients never reach it, values above 1.0 do.
assert failed and not any(name.startswith("captures/") for name in failed), failed
assert any("/raw/" in name for name in failed), failed
PY
