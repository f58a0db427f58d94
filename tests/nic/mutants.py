#!/usr/bin/env python3
"""RTL of the NIC's engines that is wrong in one place, as people get these things wrong: the device's run must notice each.

    tests/nic/mutants.py GRADWIRE

A handful of frames go through each device's model, which is recorded (--sv-bench); Icarus replays that on the RTL, right and wrong.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# What is wrong; the device; its file, the line's part, and what stands there instead.
MUTANTS = [
    ("grid ignored", "nic_tx", "gw_nic_tx_judge.sv", "tcp_q && !grid_q ? phase - sequence_q : 2'd0", "2'd0"),
    ("head and tail swapped", "nic_tx", "gw_nic_tx_gather.sv", "edges_o = tail_up | {24'd0, head_down}",
     "edges_o = ({24'd0, head_down} << {tail_i, 3'd0}) | {24'd0, tail}"),
    ("checksum of the original", "nic_tx", "gw_nic_tx_verdict.sv", "assign checksum_o   = tcp_i ? result :",
     "assign checksum_o = 1 ? checksum_i :"),
    ("ECN compared", "nic_tx", "gw_nic_tx_judge.sv", "(ip[15:8] & mark_mask) == mark", "ip[15:8] == mark"),
    ("hash for key", "nic_tx", "gw_nic_tx_flows.sv", "entry[95:0] == key_i", "1'b1"),
    ("shim off by one", "nic_tx", "gw_nic_tx_merge.sv", "turned(shim, payload_at_i[4:0])", "turned(shim, payload_at_i[4:0] + 5'd1)"),
    ("shim off by one", "nic_rx", "gw_nic_rx_parser.sv", "{1'b0, shim2_q, 2'd0} + 8'd42", "{1'b0, shim2_q, 2'd0} + 8'd43"),
    ("head and tail swapped", "nic_rx", "gw_nic_rx_layout.sv", "edges_i[23:0];\n    tail_q      <= edges_i[8*head_i +: 24]",
     "edges_i[8*tail_i +: 24];\n    tail_q      <= edges_i[23:0]"),
    ("padding as stream", "nic_rx", "gw_nic_rx_realigner.sv", "at_end && next_count > {1'b0, end_i[4:0]}", "1'b0"),
]


def words_sum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def frame(payload=b"", protocol=6, tos=0x28, port=4000, sequence=0, syn=False):
    """Ethernet, IPv4 and TCP or UDP, checksums included."""
    addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    if protocol == 6:
        segment = struct.pack("!HHIIBBHHH", port, 5000, sequence, 0, 0x50, 2 if syn else 0x18, 1000, 0, 0) + payload
    else:
        segment = struct.pack("!HHHH", port, 5000, 8 + len(payload), 0) + payload
    pseudo = addresses + struct.pack("!HH", protocol, len(segment))
    at = 16 if protocol == 6 else 6
    segment = segment[:at] + struct.pack("!H", 0xFFFF ^ words_sum(pseudo + segment)) + segment[at + 2:]
    ip = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(segment), 0xABCD, 0, 64, protocol, 0) + addresses
    ip = ip[:10] + struct.pack("!H", 0xFFFF ^ words_sum(ip)) + ip[12:]
    return bytes(range(12)) + b"\x08\x00" + ip + segment


def frames():
    """Short ones: each is there for some of the mutants."""
    floats = struct.pack("<20f", *[0.001 * 3.7**i * (-1) ** i for i in range(20)])
    begin = 1001
    return [
        frame(syn=True, sequence=begin - 1),
        frame(b"\x11" + floats + b"\x22\x33", sequence=begin + 400 - 1),
        frame(b"\x44\x55\x66" + floats + b"\x77", sequence=begin + 800 - 3, tos=0x2B),
        frame(floats, sequence=begin, port=0xA00F),  # no SYN, and the place in the table that 4000 has
        frame(bytes(20), protocol=17),  # packed and padded
        frame(floats, sequence=begin),
    ]


def write_capture(path):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, data in enumerate(frames()):
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
        write_capture(work / "hosts.pcap")
        for device, options in (("nic_tx", []), ("nic_rx", ["--pack"])):
            bench = work / device
            subprocess.run([gradwire, "run", device, "--engine", "model", "--trace", work / "hosts.pcap", *options, "--stall", "both:30",
                            "--quiet", "--sv-bench", bench], check=True)
            sources = (bench / "files.f").read_text().split("\n")[1:]
            right = said(bench, device, sources)
            print(f"{device}: {right}")
            if not re.match(r"PASS cycles=[1-9]", right):
                sys.exit("mutants: the RTL as it is does not pass")
            for what, of, name, part, instead in MUTANTS:
                if of != device:
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
