#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `gradwire live` counts and prints, read back: figures.py GRADWIRE, in a network namespace of its own.

Plays host and wire itself, with frames whose figures are known, and sends back to the NIC what it packed.
"""
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

HOST, WIRE = "gwh", "gww"
MARK, SYN, ACK, TCP, IPV4 = 0x28, 2, 16, 6, 0x0800


def ones_sum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def segment(sequence, flags, payload=b""):
    """As a host sends it: not padded."""
    addresses = bytes([10, 77, 0, 1, 10, 77, 0, 2])
    ip = struct.pack("!BBHHHBBH", 0x45, MARK, 40 + len(payload), 1, 0, 64, TCP, 0) + addresses
    ip = ip[:10] + struct.pack("!H", ones_sum(ip) ^ 0xFFFF) + ip[12:]
    tcp = struct.pack("!HHIIBBHHH", 4000, 5000, sequence, 0, 0x50, flags, 1000, 0, 0)
    check = ones_sum(addresses + struct.pack("!HH", TCP, len(tcp) + len(payload)) + tcp + payload)
    tcp = tcp[:16] + struct.pack("!H", check ^ 0xFFFF) + tcp[18:]
    return bytes(6) + bytes(6) + struct.pack("!H", IPV4) + ip + tcp + payload


def socket_on(name):
    on = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    on.bind((name, 3))
    on.settimeout(20)
    return on


def through(frame, into, out_of):
    """What the NIC makes of a frame. One at a time: so latencies are the contracts'."""
    into.send(frame)
    while True:
        frame, source = out_of.recvfrom(65536)
        if source[2] != socket.PACKET_OUTGOING:
            return frame


def over_ipv6(traffic_class):
    """A UDP datagram of 8 bytes."""
    return bytes(12) + struct.pack("!HIHBB", 0x86DD, 6 << 28 | traffic_class << 20, 8, 17, 64) + bytes(32) + struct.pack("!HHHH", 1, 2, 8, 0)


def of_protocol(frame, number):
    """With another IPv4 protocol, and the checksum that goes with it."""
    ip = frame[14:23] + bytes([number]) + bytes(2) + frame[26:34]
    return frame[:14] + ip[:10] + struct.pack("!H", ones_sum(ip) ^ 0xFFFF) + ip[12:] + frame[34:]


# A group of eight floats of 0 is two bytes; a shim of four bytes leads them.
FLOATS = bytes(8192)
LONG, SHORT, PACKED = 54 + len(FLOATS), 54 + 4 + len(FLOATS) // 16, 20
arp = b"\xff" * 12 + b"\x08\x06" + bytes(28)
plain = [arp, segment(99, SYN), over_ipv6(0), over_ipv6(MARK)]
reserved = of_protocol(segment(100, ACK, FLOATS), 253)  # only nic_tx may make such: dropped
sent = plain + [segment(100 + i * len(FLOATS), ACK, FLOATS) for i in range(PACKED)]
padded = [frame.ljust(62 if frame[12:14] == b"\x86\xdd" else 60, b"\0") for frame in sent]
SHORTS = sum(map(len, padded[:4]))
both = {"packed_frames": PACKED, "packed_bytes_long": PACKED * LONG, "packed_bytes_short": PACKED * SHORT, "in_error": 0, "lost": 0,
        "refused": 0, "too_long": 0, "ratio_frame": LONG / SHORT, "ipv6": 2, "ipv6_marked": 1}
# By direction: frames in and out, their bytes, and what became of them.
expected = {"tx": {**both, "frames_in": PACKED + 5, "bytes_in": SHORTS + (PACKED + 1) * LONG, "frames_out": PACKED + 4,
                   "bytes_out": SHORTS + PACKED * SHORT, "reasons": {"not_ipv4": 3, "syn": 1, "reserved": 1, "packed": PACKED}},
            "rx": {**both, "frames_in": PACKED + 5, "bytes_in": SHORTS + 60 + PACKED * SHORT, "frames_out": PACKED + 5,
                   "bytes_out": SHORTS + 60 + PACKED * LONG, "reasons": {"passed": 5, "unpacked": PACKED}}}
WHY = {"tx": "not packed: 3 not ipv4, 1 reserved, 1 syn; 2 of IPv6 (1 marked)", "rx": "not unpacked: 5 passed; 2 of IPv6 (1 marked)"}
PART = r"(tx|rx) +(\d+) frames +([\d.]+) Mb/s  packed +([\d.]+) %  ratio +([\d.]+)  latency +([\d.]+) cycles"
AVERAGES = {"ratio_frame", "latency_cycles_mean"}  # of the report, beside its counters
documented = Path(__file__).parents[2].joinpath("docs/live.md").read_text(encoding="utf-8")


def metrics(text):
    """A file for Prometheus, read strictly: {name: {(direction, reason): value}}."""
    assert text.endswith("\n"), text
    named, values = {}, {}
    for line in text.splitlines():
        comment = re.fullmatch(r"# (HELP|TYPE) (gradwire_live_[a-z0-9_]+_total) (.+)", line)
        sample = re.fullmatch(r'(gradwire_live_[a-z0-9_]+_total)\{host="gwh",wire="gww",direction="(tx|rx)"(?:,reason="([a-z0-9_]+)")?\} (\d+)', line)
        assert comment or sample, line
        if comment:
            named.setdefault(comment[2], []).append(comment[1])
            assert comment[1] == "HELP" or comment[3] == "counter", line
            continue
        assert named[sample[1]] == ["HELP", "TYPE"], line
        of = values.setdefault(sample[1].removeprefix("gradwire_live_").removesuffix("_total"), {})
        assert (sample[2], sample[3]) not in of, line
        of[sample[2], sample[3]] = int(sample[4])
    return values


def run(stats):
    """A NIC from its beginning to its end: the lines that it printed, its report, what --stats wrote."""
    nic = subprocess.Popen([sys.argv[1], "live", "--host", HOST, "--wire", WIRE, "--engine", "model", "--json", "figures.json",
                            "--stats", "stats.prom", "--stats-format", stats], stdout=subprocess.PIPE, text=True)
    lines = [nic.stdout.readline()]
    assert lines[0].startswith("live: "), lines
    for name in HOST, WIRE:
        with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="utf-8") as file:
            file.write("1")
        subprocess.run(["ip", "link", "set", name, "mtu", "9000", "up"], check=True)
    lines.append(nic.stdout.readline())  # from here on a line is a second
    host, wire = socket_on(HOST), socket_on(WIRE)
    host.send(reserved)
    on_wire = [through(frame, host, wire) for frame in sent]
    assert [len(frame) for frame in on_wire] == [60, 60, 62, 62] + [SHORT] * PACKED, on_wire
    assert on_wire[:4] == padded[:4]
    assert [through(frame, wire, host) for frame in on_wire + [arp]] == padded + [padded[0]]
    # The next seconds' lines have the last of them.
    while len(lines) < 4:
        lines.append(nic.stdout.readline())
        if stats == "prometheus":
            part = metrics(Path("stats.prom").read_text(encoding="utf-8"))  # whole at any time
            assert all(value <= expected[direction]["frames_in"] for (direction, _), value in part["frames_in"].items()), part
    time.sleep(0.1)
    nic.send_signal(signal.SIGINT)
    lines += nic.stdout.readlines()
    assert nic.wait() == 0, nic.returncode
    live = json.loads(Path("figures.json").read_text(encoding="utf-8"))["live"]
    written = Path("stats.prom").read_text(encoding="utf-8")
    for name in "figures.json", "stats.prom":
        os.remove(name)
    assert os.listdir() == [], os.listdir()  # and nothing beside them
    return lines, live, written


def check_lines(text, live):
    """Each of --stats stands alone, and together they are the report."""
    lines = [json.loads(line) for line in text.splitlines()]
    assert text.endswith("\n") and len(lines) >= 3, text
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines), text
    assert abs(sum(line["seconds"] for line in lines) - live["seconds"]) < 0.05, (text, live["seconds"])
    for direction in expected:
        counters = live[direction].keys() - AVERAGES
        sums = {key: Counter() if key == "reasons" else 0 for key in counters}
        for line in lines:
            assert line.keys() == {"time", "seconds", "host", "wire", "tx", "rx"} and (line["host"], line["wire"]) == (HOST, WIRE), line
            assert line[direction].keys() == counters, line
            for key in counters:
                sums[key] += Counter(line[direction][key]) if key == "reasons" else line[direction][key]
        assert sums == {key: live[direction][key] for key in counters}, (sums, live[direction])
    for key in {*lines[0], *live["tx"], *live}:
        assert f"`{key}`" in documented, f"docs/live.md does not say what {key} is"


def check_metrics(text, live):
    values = metrics(text)
    assert values.keys() == live["tx"].keys() - AVERAGES, values.keys()
    for direction in expected:
        reasons = {reason: n for (of, reason), n in values["reasons"].items() if of == direction and n}
        assert reasons == live[direction]["reasons"], reasons
        for name in values.keys() - {"reasons"}:
            assert values[name][direction, None] == live[direction][name], (name, values[name])


def check_report(live):
    for direction, figures in expected.items():
        counted = live[direction]
        assert {key: counted[key] for key in figures} == figures, (direction, counted)
        # Contracts: 8 cycles for what passes, about 16 for what is (un)packed, after the frame's beats in nic_tx.
        beats = LONG // 32 if direction == "tx" else 0
        latency = (8 * figures["frames_out"] + (beats + 8) * PACKED) / figures["frames_in"]
        assert abs(counted["latency_cycles_mean"] - latency) < 0.05 * latency, (latency, counted)
        assert counted["cycles"] > PACKED * (LONG // 32), counted


def check_printed(lines):
    seconds = [line for line in lines if re.match(PART, line)]
    seen = {direction: [0, 0, 0] for direction in expected}
    for line in seconds:
        for direction, frames, rate, percent, ratio, cycles in re.findall(PART, line):
            packed = float(percent) * int(frames) / 100
            assert abs(packed - round(packed)) < 0.05, line
            seen[direction][0] += int(frames)
            seen[direction][1] += round(packed)
            seen[direction][2] += 1e6 / 8 * float(rate)
            assert float(ratio) == (round(LONG / SHORT, 2) if round(packed) else 0), line
            assert (float(cycles) > 0) == (int(frames) > 0), line
    for direction, figures in expected.items():
        assert seen[direction][:2] == [figures["frames_in"], PACKED], seconds
        # A second is not exact, and a line has one decimal of a megabit: 6,250 bytes.
        assert abs(seen[direction][2] - figures["bytes_in"]) < 0.5 * figures["bytes_in"] + 6250 * len(seconds), (seen, seconds)
    # Reasons of each second: all frames came within one, or two.
    why = {direction: Counter() for direction in expected}
    for line in seconds:
        for direction, part in re.findall(r"(tx|rx) .*?not (?:un)?packed: ([\w ,]+)", line):
            for count, reason in re.findall(r"(\d+) ([a-z][a-z0-9 ]*[a-z0-9])", part):
                why[direction][reason.replace(" ", "_")] += int(count)
    for direction, usual in ("tx", "packed"), ("rx", "unpacked"):
        assert why[direction] == {k: v for k, v in expected[direction]["reasons"].items() if k != usual}, (why, seconds)
    ends = {line[:2]: line for line in lines if line[:3] in ("tx ", "rx ") and "frames in" in line}
    for direction, figures in expected.items():
        assert ends[direction].startswith(f"{direction} {figures['frames_in']} frames in, {figures['frames_out']} out; {PACKED} packed, "
                                          f"{LONG / SHORT:.2f} to 1; "), ends
        assert "dropped: 0 in error, 0 refused, 0 too long\n" in ends[direction], ends
        assert f"{direction} {WHY[direction]}\n" in lines, lines


for stats, check in ("json", check_lines), ("prometheus", check_metrics):
    printed, report, file = run(stats)
    check(file, report)
    check_report(report)
    check_printed(printed)
print(f"floats: {PACKED} of {len(sent) + 1} frames packed, in both directions; lines, figures and statistics as they are")
