#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
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
sys.path.insert(0, os.path.join(ROOT, "tools"))
import cards  # noqa: E402

FIGURES = os.path.join(HERE, "figures.json")

# What depends on the machine, on the day, or on a change of program that is none of behaviour.
LEFT_OUT = {"sim", "version", "tools", "command", "baselines", "paper", "trace", "failure"}


def runs():
    """What the devices' cards name."""
    return [f"{device} {options}".rstrip() for device, card in cards.read().items() for options in card.golden()]


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
        with open(FIGURES) as file:
            known = json.load(file)
        wanted = set(runs())
        # Those that are known keep their places in the file.
        all_runs = [run for run in known if run in wanted] + sorted(wanted - known.keys())
        if len(sys.argv) > 3:
            all_runs = [run for run in all_runs if run in known or re.search(sys.argv[3], run)]
        else:
            known = {}
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
    unknown = sorted(run for run in set(runs()) - golden.keys() if re.search(pattern, run))
    if not golden and not unknown:
        print(f"golden: no run matches '{pattern}'", file=sys.stderr)
        return 2
    for run in unknown:
        print(f"golden: no figures of: gradwire run {run} (golden.py record GRADWIRE writes them)")
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
    return 1 if wrong or unknown else 0


sys.exit(main())
