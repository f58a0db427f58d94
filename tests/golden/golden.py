#!/usr/bin/env python3
"""Cycle counts, latencies and bytes of every device on committed traces and synthetic stimuli, held against those of
version 0.1:

    golden.py check  GRADWIRE [PATTERN]    exits 1 if a figure differs
    golden.py record GRADWIRE [PATTERN]    writes figures.json anew: only in a commit that names the contract and the cycles; with a
                                           pattern only the rows of new runs that match it

A figure may come on top (report keys only grow); none may change or go.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIGURES = os.path.join(HERE, "figures.json")

# What depends on the machine, on the day, or on a change of program that is none of behaviour.
LEFT_OUT = {"sim", "version", "tools", "command", "baselines", "paper", "trace", "failure"}

CODEC = ["compressor", "decompressor"]
FRAMES = ["parser", "aggregator", "optimizer", "switch"]
GRADIENT_TRACES = ["hdc-ring-early", "hdc-ring-middle", "hdc-ring-late", "mixed"]
FRAME_TRACES = ["expether-workers", "expether-faults"]
# The synthetic stimuli that version 0.1 had: they keep their bytes, later ones come under new names.
GRADIENT_KINDS = ["gradients", "uniform", "mixed", "raw", "zeros", "single"]
FRAME_KINDS = ["gradient-192", "ordinary-60", "incast", "workers", "anything"]


def runs():
    for device in CODEC:
        for trace in GRADIENT_TRACES:
            yield f"{device} --trace traces/{trace}.pcap"
        yield f"{device} --trace traces/hdc-ring-early.pcap --bound 1"
        yield f"{device} --trace traces/hdc-ring-early.pcap --bound 14"
        yield f"{device} --trace traces/hdc-ring-early.pcap --mode paper"
        yield f"{device} --trace traces/hdc-ring-late.pcap --stall both:30 --seed 7"
        for kind in GRADIENT_KINDS:
            yield f"{device} --synth {kind}"
            yield f"{device} --synth {kind} --stall source:30 --seed 3"
            yield f"{device} --synth {kind} --stall sink:60 --seed 5"
            yield f"{device} --synth {kind} --stall both:30 --seed 7 --packets 64"
    for options in ["", " --format mxfp4", " --residual on", " --residual on --format mxfp4",
                    " --format mxfp8-e5m2", " --format mxfp8-e5m2 --scale up --residual on"]:
        for trace in GRADIENT_TRACES:
            yield f"mx --trace traces/{trace}.pcap{options}"
        for kind in GRADIENT_KINDS:
            yield f"mx --synth {kind}{options}"
        yield f"mx --synth mixed --stall both:30 --seed 7{options}"
        yield f"mx --random hostile --packets 300 --seed 5{options}"
    for options in [" --method wgt", " --method bgt", "", " --method bgt --coding rice", " --coding rice", " --residual off --coding rice"]:
        for trace in GRADIENT_TRACES:
            yield f"threshold --trace traces/{trace}.pcap{options}"
        for kind in ["mixed", "zeros", "single"]:
            yield f"threshold --synth {kind}{options}"
        yield f"threshold --synth mixed --stall both:30 --seed 7{options}"
        yield f"threshold --random hostile --packets 300 --seed 5{options}"
    for options in ["", " --residual off"]:
        for trace in GRADIENT_TRACES:
            yield f"onebit --trace traces/{trace}.pcap{options}"
        for kind in GRADIENT_KINDS:
            yield f"onebit --synth {kind}{options}"
        yield f"onebit --synth mixed --stall both:30 --seed 7{options}"
        yield f"onebit --random hostile --packets 300 --seed 5{options}"
    for options in ["", " --p 2", " --coding rice", " --p 3 --coding rice --residual off"]:
        for trace in GRADIENT_TRACES:
            yield f"adaptive --trace traces/{trace}.pcap{options}"
        for kind in ["mixed", "zeros", "single"]:
            yield f"adaptive --synth {kind}{options}"
        yield f"adaptive --synth mixed --stall both:30 --seed 7{options}"
        yield f"adaptive --random hostile --packets 300 --seed 5{options}"
    for trace in GRADIENT_TRACES:
        yield f"dequantizer --trace traces/{trace}.pcap"
    for kind in GRADIENT_KINDS:
        yield f"dequantizer --synth {kind}"
    for codec in ["wgt", "bgt", "qgt", "bgt:coding=rice", "qgt:coding=rice", "onebit", "adaptive", "adaptive:coding=rice", "mxfp8", "mxfp8-e5m2", "mxfp4"]:
        yield f"dequantizer --synth gradients --codec {codec}"
    yield "dequantizer --synth mixed --stall both:30 --seed 7"
    yield "dequantizer --random hostile --packets 300 --seed 5"
    for device in FRAMES:
        for trace in FRAME_TRACES:
            yield f"{device} --trace traces/{trace}.pcap"
            yield f"{device} --trace traces/{trace}.pcap --stall both:30 --seed 7"
        for kind in FRAME_KINDS:
            yield f"{device} --synth {kind} --packets 600"
            yield f"{device} --synth {kind} --packets 300 --stall both:30 --seed 7"
            summed = device in ("aggregator", "switch") or kind == "workers"
            yield f"{device} --synth {kind} --packets 300{' --workers 1' if summed else ''} --seed 2"
    for device in ["aggregator", "switch"]:
        yield f"{device} --synth workers --loss 5 --duplicate 5 --reorder 5 --malformed 5 --foreign 5 --seed 4"
        yield f"{device} --synth workers --workers 16 --iterations 6 --sequences 8 --stall both:50 --seed 6"
    for device, mixed, pack in [("nic_tx", "hosts", ""), ("nic_rx", "wire", " --pack"), ("nic", "hosts", "")]:
        for trace in GRADIENT_TRACES:
            yield f"{device} --trace traces/{trace}.pcap{pack}"
        yield f"{device} --trace traces/hdc-ring-early.pcap{pack} --grid packet --bound 6 --mode paper"
        yield f"{device} --synth {mixed} --packets 600 --seed 2"
        yield f"{device} --synth {mixed} --packets 300 --stall both:30 --seed 7"
        yield f"{device} --synth packed --frame-bytes 9014 --packets 50"
    yield "switch --synth gradient-192 --workers 1 --packets 4000"
    yield "switch --synth ordinary-60 --workers 1 --packets 4000"
    yield "optimizer --algorithm adam --pes 4 --profile fast --synth workers --workers 1"
    yield "optimizer --algorithm adagrad --pes 1 --profile fast --synth workers --workers 1"
    yield "optimizer --algorithm smorms3 --pes 1 --profile fast --synth workers --workers 1"
    yield "optimizer --algorithm adam --pes 2 --synth workers --workers 1 --stall both:30"
    yield "optimizer --algorithm sgd --pes 8 --kind iterative --profile fast --synth workers --workers 1"
    yield "optimizer --algorithm adam --pes 2 --kind iterative --profile fast --synth workers --workers 1"
    yield "switch --algorithm adam --pes 4 --profile fast --synth workers"
    for algorithm in ["sgd", "adagrad", "adam", "smorms3"]:
        for pes in [1, 8, 64]:
            yield f"optimizer --engine model --algorithm {algorithm} --pes {pes} --synth workers --workers 1"
            yield f"optimizer --engine model --algorithm {algorithm} --pes {pes} --kind iterative --synth gradient-192 --packets 60"
            yield f"switch --engine model --algorithm {algorithm} --pes {pes} --profile fast --synth workers --seed 9"
    yield "compressor --engine rtl --synth mixed"
    yield "compressor --engine model --synth mixed"
    yield "switch --engine rtl --trace traces/expether-workers.pcap"


def rounded(value):
    """Ten digits: a sum in another order is no other figure."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return value


def figures(gradwire, run):
    with tempfile.TemporaryDirectory() as folder:
        pcap = os.path.join(folder, "out.pcap")
        command = [gradwire, "run", *run.split(), "--quiet", "--json", "-", "--pcap-out", pcap]
        done = subprocess.run(command, capture_output=True, cwd=ROOT)
        if done.returncode not in (0, 1) or not done.stdout:
            return {"exit": done.returncode, "stderr": re.sub(r"\s+", " ", done.stderr.decode())}
        report = json.loads(done.stdout)
        kept = {k: rounded(v) for k, v in report.items() if k not in LEFT_OUT}
        kept["exit"] = done.returncode
        with open(pcap, "rb") as file:
            kept["pcap_sha256"] = hashlib.sha256(file.read()).hexdigest()[:16]
        return kept


def differences(path, want, have):
    if isinstance(want, dict) and isinstance(have, dict):
        for key, value in want.items():
            if key not in have:
                yield f"{path}{key}: was {json.dumps(value)[:80]}, is gone"
            else:
                yield from differences(f"{path}{key}.", value, have[key])
    elif want != have:
        yield f"{path[:-1]}: was {json.dumps(want)[:100]}, is {json.dumps(have)[:100]}"


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "record"):
        print(__doc__, file=sys.stderr)
        return 2
    mode, gradwire = sys.argv[1], os.path.abspath(sys.argv[2])
    workers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    if mode == "record":
        all_runs, known = list(runs()), {}
        if len(sys.argv) > 3:
            with open(FIGURES) as file:
                known = json.load(file)
            all_runs = [run for run in all_runs if run in known or re.search(sys.argv[3], run)]
        new = [run for run in all_runs if run not in known]
        made = dict(zip(new, workers.map(lambda run: figures(gradwire, run), new)))
        result = {run: known[run] if run in known else made[run] for run in all_runs}
        with open(FIGURES, "w") as file:
            file.write("{\n" + ",\n".join(
                f"{json.dumps(run)}: {json.dumps(row, sort_keys=True)}" for run, row in result.items()) + "\n}\n")
        print(f"golden: {len(made)} runs recorded")
        return 0
    pattern = sys.argv[3] if len(sys.argv) > 3 else ""
    with open(FIGURES) as file:
        golden = {run: row for run, row in json.load(file).items() if re.search(pattern, run)}
    if not golden:
        print(f"golden: no run matches '{pattern}'", file=sys.stderr)
        return 2
    wrong = 0
    for run, have in zip(golden, workers.map(lambda run: figures(gradwire, run), golden)):
        found = list(differences("", golden[run], have))
        wrong += bool(found)
        if found:
            print(f"golden: gradwire run {run}")
            for line in found[:8]:
                print(f"  {line}")
            if "stderr" in have:
                print(f"  {have['stderr'][:300]}")
    print(f"golden: {len(golden) - wrong} of {len(golden)} runs as recorded")
    return 1 if wrong else 0


sys.exit(main())
