#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gw_ring_nic by itself, N of them in a chain, with its assertions on: rtl_run.py [CASE]...

Builds tests/ring/rtl_test.cc with Verilator for a few sets of parameters and runs each. GW_RING_RUNS: random runs of a set.
"""
import subprocess
import sys
import tempfile

import rtl_build

# Slots, beats (log2), latency of the adders, first chunk, cases; none: all that fit.
SETS = [
    (2, 2, 5, 0xFFFFFFF0, []),
    (7, 5, 6, 0, ["latency", "throughput", "many", "verdicts", "soak"]),
]


def main():
    failed = 0
    for slots, beats, add, first, cases in SETS:
        with tempfile.TemporaryDirectory() as folder:
            program = rtl_build.build(folder, rtl_build.sources(), slots, beats, add, first)
            print(f"{1 << slots} slots of {1 << beats} beats, A = {add}:", flush=True)
            failed += subprocess.run([program, *(sys.argv[1:] or cases)], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
