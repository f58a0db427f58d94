#!/usr/bin/env python3
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


# A group of eight floats of 0 is two bytes; a shim of four bytes leads them.
FLOATS = bytes(8192)
LONG, SHORT, PACKED = 54 + len(FLOATS), 54 + 4 + len(FLOATS) // 16, 20
sent = [b"\xff" * 12 + b"\x08\x06" + bytes(28), segment(99, SYN)]
sent += [segment(100 + i * len(FLOATS), ACK, FLOATS) for i in range(PACKED)]
padded = [frame.ljust(60, b"\0") for frame in sent]

nic = subprocess.Popen([sys.argv[1], "live", "--host", HOST, "--wire", WIRE, "--engine", "model", "--json", "figures.json"],
                       stdout=subprocess.PIPE, text=True)
lines = [nic.stdout.readline()]
assert lines[0].startswith("live: "), lines
for name in HOST, WIRE:
    with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="utf-8") as file:
        file.write("1")
    subprocess.run(["ip", "link", "set", name, "mtu", "9000", "up"], check=True)
lines.append(nic.stdout.readline())  # from here on a line is a second
host, wire = socket_on(HOST), socket_on(WIRE)
on_wire = [through(frame, host, wire) for frame in sent]
assert [len(frame) for frame in on_wire] == [60, 60] + [SHORT] * PACKED, on_wire
assert on_wire[:2] == padded[:2]
assert [through(frame, wire, host) for frame in on_wire + [sent[0]]] == padded + [padded[0]]
# The next second's line has the last of them.
while len(lines) < 4:
    lines.append(nic.stdout.readline())
time.sleep(0.1)
nic.send_signal(signal.SIGINT)
lines += nic.stdout.readlines()
assert nic.wait() == 0, nic.returncode

with open("figures.json", encoding="utf-8") as file:
    live = json.load(file)["live"]
both = {"packed_frames": PACKED, "packed_bytes_long": PACKED * LONG, "packed_bytes_short": PACKED * SHORT, "in_error": 0, "lost": 0,
        "refused": 0, "too_long": 0, "ratio_frame": LONG / SHORT}
expected = {direction: {**both, "frames_in": PACKED + short, "bytes_in": 60 * short + PACKED * before,
                        "frames_out": PACKED + short, "bytes_out": 60 * short + PACKED * after}
            for direction, short, before, after in (("tx", 2, LONG, SHORT), ("rx", 3, SHORT, LONG))}
for direction, figures in expected.items():
    counted = live[direction]
    assert {key: counted[key] for key in figures} == figures, (direction, counted)
    # Contracts: 8 cycles for what passes, about 16 for what is (un)packed, after the frame's beats in nic_tx.
    beats = LONG // 32 if direction == "tx" else 0
    latency = (8 * figures["frames_in"] + (beats + 8) * PACKED) / figures["frames_in"]
    assert abs(counted["latency_cycles_mean"] - latency) < 0.05 * latency, (latency, counted)
    assert counted["cycles"] > PACKED * (LONG // 32), counted

PART = r"(tx|rx) +(\d+) frames +([\d.]+) Mb/s  packed +([\d.]+) %  ratio +([\d.]+)  latency +([\d.]+) cycles"
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
ends = {line[:2]: line for line in lines if line[:3] in ("tx ", "rx ") and "frames in" in line}
for direction, figures in expected.items():
    frames = figures["frames_in"]
    assert ends[direction].startswith(f"{direction} {frames} frames in, {frames} out; {PACKED} packed, {LONG / SHORT:.2f} to 1; "), ends
    assert "dropped: 0 in error, 0 refused, 0 too long\n" in ends[direction], ends
print(f"floats: {PACKED} of {len(sent)} frames packed, in both directions; lines and figures as they are")
os.remove("figures.json")
