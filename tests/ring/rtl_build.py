# SPDX-License-Identifier: Apache-2.0
"""Builds rtl_test for one set of parameters: build(folder, sources, slots_log2, beats_log2, add, first) -> program."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


def sources():
    return [ROOT / line for line in (ROOT / "rtl/ring/gw_ring_nic.f").read_text().split()]


def build(folder, rtl, slots_log2, beats_log2, add, first=0):
    if shutil.which("verilator") is None:
        sys.exit("ring: verilator is not installed; on Debian: apt-get install verilator")
    defines = f"-DGW_SLOTS_LOG2={slots_log2} -DGW_BEATS_LOG2={beats_log2} -DGW_ADD={add} -DGW_FIRST={first}u"
    command = ["verilator", "--cc", "--exe", "--build", "--assert", "-O3", "-Wno-lint", "--top-module", "gw_ring_nic",
               "--prefix", "Vring", f"-I{ROOT}/rtl/common", "-Mdir", folder, "-o", "rtl_test", "--output-split", "0",
               f"-GSlotsLog2={slots_log2}", f"-GBeatsLog2={beats_log2}", f"-GAddLatency={add}", f"-GFirst=32'h{first:x}",
               "-CFLAGS", f"-std=c++20 -O1 -DVL_USER_STOP {defines}", "-MAKEFLAGS", "-s",
               *rtl, HERE / "rtl_chain.cc", HERE / "rtl_test.cc"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ring: verilator failed:\n{done.stdout}{done.stderr}")
    return pathlib.Path(folder) / "rtl_test"
