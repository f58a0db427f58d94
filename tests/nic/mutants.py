#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RTL of the NIC's engines that is wrong in one place, as people get these things wrong: the device's run must notice each.

    tests/nic/mutants.py GRADWIRE

A handful of frames go through the device's model, which is recorded (--sv-bench); Icarus replays that on the RTL, right and wrong.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# What goes through the model: the device, the capture, options.
RUNS = {
    "nic_tx": ("nic_tx", "hosts.pcap", ["--host", "any"]),
    "nic_rx": ("nic_rx", "hosts.pcap", ["--pack", "--host", "any"]),
    "wire": ("nic_rx", "wire.pcap", []),
}
# What is wrong; the run; its file, the line's part, and what stands there instead.
MUTANTS = [
    ("grid ignored", "nic_tx", "gw_nic_tx_judge.sv", "tcp_q && !grid_q ? phase - sequence_q : 2'd0", "2'd0"),
    ("head and tail swapped", "nic_tx", "gw_nic_tx_gather.sv", "edges_o = tail_up | {24'd0, head_down}",
     "edges_o = ({24'd0, head_down} << {tail_i, 3'd0}) | {24'd0, tail}"),
    ("checksum of the original", "nic_tx", "gw_nic_tx_verdict.sv", "assign checksum_o   = tcp_i ? result :",
     "assign checksum_o = 1 ? checksum_i :"),
    ("ECN compared", "nic_tx", "gw_nic_tx_judge.sv", "(ip[15:8] & mark_mask) == mark", "ip[15:8] == mark"),
    ("one slot for both directions", "nic_tx", "gw_nic_tx_flows.sv", "{source > destination, 7'd0}", "8'd0"),
    ("CRC of the shim before", "nic_tx", "gw_nic_tx_merge.sv", "if (packed_i) crc_q", "if (packed_i && beat_i != 3'd0) crc_q"),
    ("hash for key", "nic_tx", "gw_nic_tx_flows.sv", "entry[95:0] == key_i", "1'b1"),
    ("shim off by one", "nic_tx", "gw_nic_tx_merge.sv", "turned(shim, payload_at_i[4:0])", "turned(shim, payload_at_i[4:0] + 5'd1)"),
    ("shim off by one", "nic_rx", "gw_nic_rx_parser.sv", "{1'b0, shim2_q, 2'd0} + 8'd42", "{1'b0, shim2_q, 2'd0} + 8'd43"),
    ("head and tail swapped", "nic_rx", "gw_nic_rx_layout.sv", "edges_i[23:0];\n    tail_q      <= edges_i[8*head_i +: 24]",
     "edges_i[8*tail_i +: 24];\n    tail_q      <= edges_i[23:0]"),
    ("CRC ignored", "wire", "gw_nic_rx_parser.sv", "shim3_q.crc == gw_nic_pkg::crc4(covered)", "1'b1"),
    ("UDP length ignored", "wire", "gw_nic_rx_parser.sv", "udp_payload3_q == {1'b0, length}", "1'b1"),
    ("quotes pass", "wire", "gw_nic_rx_quotes.sv", "assign good_o      = good5_q;", "assign good_o      = 1'b0;"),
    ("quoted total length stays", "wire", "gw_nic_rx_quotes.sv", "assign lengthens_o = lengthens5_q;", "assign lengthens_o = 1'b0;"),
    ("says no forget", "wire", "gw_nic_rx_egress.sv", "forget_o = finish_original & mends & quote_forget_i", "forget_o = 1'b0 & finish_original"),
    ("padding as stream", "nic_rx", "gw_nic_rx_realigner.sv", "at_end && next_count > {1'b0, end_i[4:0]}", "1'b0"),
]


def words_sum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def packet(protocol, tos, addresses, body):
    """Ethernet and IPv4."""
    ip = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(body), 0xABCD, 0, 64, protocol, 0) + addresses
    ip = ip[:10] + struct.pack("!H", 0xFFFF ^ words_sum(ip)) + ip[12:]
    return bytes(range(12)) + b"\x08\x00" + ip + body


def frame(payload=b"", protocol=6, tos=0x28, port=4000, sequence=0, syn=False, back=False):
    """Ethernet, IPv4 and TCP or UDP, checksums included; `back`: from the other end."""
    addresses = bytes([10, 0, 0, 2, 10, 0, 0, 1] if back else [10, 0, 0, 1, 10, 0, 0, 2])
    if protocol == 6:
        ports = (5000, port) if back else (port, 5000)
        segment = struct.pack("!HHIIBBHHH", *ports, sequence, 0, 0x50, 2 if syn else 0x18, 1000, 0, 0) + payload
    else:
        segment = struct.pack("!HHHH", port, 5000, 8 + len(payload), 0) + payload
    pseudo = addresses + struct.pack("!HH", protocol, len(segment))
    at = 16 if protocol == 6 else 6
    segment = segment[:at] + struct.pack("!H", 0xFFFF ^ words_sum(pseudo + segment)) + segment[at + 2:]
    return packet(protocol, tos, addresses, segment)


def hosts():
    """Short ones: each is there for some of the mutants."""
    floats = struct.pack("<20f", *[0.001 * 3.7**i * (-1) ** i for i in range(20)])
    begin = 1001
    return [
        frame(syn=True, sequence=begin - 1),
        frame(syn=True, sequence=7, back=True),
        frame(b"\x11" + floats + b"\x22\x33", sequence=begin + 400 - 1),
        frame(b"\x44\x55\x66" + floats + b"\x77", sequence=begin + 800 - 3, tos=0x2B),
        frame(floats, sequence=begin, port=0xA00F),  # no SYN, and the place in the table that 4000 has
        frame(bytes(20), protocol=17),  # packed and padded
        frame(floats, sequence=begin),
    ]


def crc4(bits):
    for i in range(31, 3, -1):
        if bits >> i & 1:
            bits ^= 0b10011 << i - 4
    return bits


def packed(protocol, wrong_crc=0, wrong_length=0):
    """20 zeros, as nic_tx sends them, or almost."""
    covered = 2 << 24 | 0xA8 << 16 | 80
    body = struct.pack("!HH", 4000, 5000)
    body += struct.pack("!HH", 8 + 80 + wrong_length, 0) if protocol == 254 else struct.pack("!IIBBHHH", 1001, 0, 0x50, 0x18, 1000, 0, 0)
    body += struct.pack("!BBH", 0x20 | crc4(covered << 4) ^ wrong_crc, 0xA8, 80) + bytes(6)
    return packet(protocol, 0x28, bytes([10, 0, 0, 1, 10, 0, 0, 2]), body)


def error(kind, code, about):
    """ICMP, from a router."""
    message = struct.pack("!BBHI", kind, code, 0, 0) + about[14:]
    message = message[:2] + struct.pack("!H", 0xFFFF ^ words_sum(message)) + message[4:]
    return packet(1, 0, bytes([10, 0, 0, 9, 10, 0, 0, 1]), message)


def wire():
    return [
        packed(254),
        packed(254, wrong_crc=4),
        packed(254, wrong_length=4),
        error(3, 2, packed(253)),
        packed(253),
    ]


def write_capture(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, data in enumerate(frames):
            file.write(struct.pack("<IIII", 0, i, len(data), len(data)) + data)


def said(bench, device, sources):
    """What a bench says of some sources, its first line."""
    top = f"gw_{device}_tb"
    (bench / "sources").write_text("\n".join(sources) + "\n")
    subprocess.run(["iverilog", "-g2012", "-f", "sources", "-s", top, "-o", "bench.vvp", f"{top}.sv"], cwd=bench, check=True)
    out = subprocess.run(["vvp", "-n", "bench.vvp", "+vectors=vectors.hex"], cwd=bench, capture_output=True, text=True, check=False)
    return (out.stdout.splitlines() or ["nothing"])[0]


def main():
    gradwire = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("iverilog") is None:
        sys.exit("mutants: iverilog is not installed; on Debian: apt-get install iverilog")
    missed = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write_capture(work / "hosts.pcap", hosts())
        write_capture(work / "wire.pcap", wire())
        for run, (device, capture, options) in RUNS.items():
            bench = work / run
            subprocess.run([gradwire, "run", device, "--engine", "model", "--trace", work / capture, *options, "--stall", "both:30",
                            "--quiet", "--sv-bench", bench], check=True)
            sources = (bench / "files.f").read_text().split("\n")[1:]
            right = said(bench, device, sources)
            print(f"{run}: {right}")
            if not re.match(r"PASS cycles=[1-9]", right):
                sys.exit("mutants: the RTL as it is does not pass")
            for what, of, name, part, instead in MUTANTS:
                if of != run:
                    continue
                path = next(s for s in sources if s.endswith("/" + name))
                text = pathlib.Path(path).read_text()
                if text.count(part) != 1:
                    sys.exit(f"mutants: '{part}' is not once in {name}")
                (bench / name).write_text(text.replace(part, instead))
                wrong = said(bench, device, [name if s == path else s for s in sources])
                noticed = wrong.startswith("FAIL ")
                missed += not noticed
                print(f"{'noticed' if noticed else 'NOT NOTICED'}: {device}, {what}: {wrong[:60]}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
