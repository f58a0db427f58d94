#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An 802.1Q interface where the kernel has none: vlan.py LOWER UPPER ID.

UPPER is a TAP interface with LOWER's address and MTU. What is sent on it leaves LOWER with a tag; what comes to LOWER with that tag
comes to UPPER without. It goes to the background once UPPER is there.
"""
import fcntl
import os
import select
import socket
import struct
import sys

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000
SIOCGIFHWADDR, SIOCSIFHWADDR, SIOCGIFMTU, SIOCSIFMTU = 0x8927, 0x8924, 0x8921, 0x8922
ETH_P_ALL, SOL_PACKET, PACKET_AUXDATA = 3, 263, 8
TP_STATUS_VLAN_VALID = 0x10

lower, upper, number = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", upper, IFF_TAP | IFF_NO_PI))
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
wire.bind((lower, ETH_P_ALL))
wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
for get, put in ((SIOCGIFHWADDR, SIOCSIFHWADDR), (SIOCGIFMTU, SIOCSIFMTU)):
    request = fcntl.ioctl(wire, get, struct.pack("16s24x", lower.encode()))
    fcntl.ioctl(wire, put, struct.pack("16s", upper) + request[16:])
if os.fork():
    sys.exit(0)

tag = struct.pack("!HH", 0x8100, number)


def tags(beside):
    """The tags that the kernel took out of a frame that came: it tells them beside it."""
    for level, kind, data in beside:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tci, _ = struct.unpack("=IIIHHHH", data[:20])
            if status & TP_STATUS_VLAN_VALID:
                yield tci & 0xFFF


while True:
    for ready in select.select([tap, wire], [], [])[0]:
        if ready is wire:
            frame, beside, _, source = wire.recvmsg(65536, 256)
            if number in tags(beside) and source[2] != socket.PACKET_OUTGOING:
                try:
                    os.write(tap, frame)
                except OSError:
                    pass  # UPPER is not up yet: a frame is lost
        else:
            frame = os.read(tap, 65536)
            wire.send(frame[:12] + tag + frame[12:])
