#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives the packed frames of a capture of the wire shims of version 2: shim2.py OLD.pcapng NEW.pcapng

Shims of version 1 had no CRC, and NICs take them for malformed. To unpack such a frame by the old rule and to pack what comes out by
the new one gives the same frame but for byte 0 of the shim: edges, stream, lengths and both checksums do not depend on the version, and
encoding is idempotent. So that byte is what changes here; all other bytes, times and comments stay. The section's comment says so.
"""
import struct
import sys

SECTION, ENHANCED = 0x0A0D0D0A, 6
COMMENT, END = 1, 0
SAID = ("Captured with shims of version 1; tools/capture/shim2.py gave each packed frame a shim of version 2 "
        "(version and CRC-4 in byte 0). No other byte of a frame has changed.")


def crc4(shim):
    """x^4 + x + 1, initial 0, of the version's nibble and the three bytes after it."""
    crc = 0
    value = int.from_bytes(shim, "big")
    for bit in list(range(31, 27, -1)) + list(range(23, -1, -1)):
        out = crc >> 3 ^ value >> bit & 1
        crc = (crc << 1 & 15) ^ (3 if out else 0)
    return crc


def shim_of(frame):
    """Where the shim of version 1 is; None: there is none."""
    ip = 18 if frame[12:14] == b"\x81\x00" else 14
    if len(frame) < ip + 20 or frame[ip - 2:ip] != b"\x08\x00" or frame[ip] >> 4 != 4:
        return None
    fragment, protocol = struct.unpack_from(">HxB", frame, ip + 6)
    if fragment & 0x3FFF or protocol not in (253, 254):
        return None
    transport = ip + 4 * (frame[ip] & 15)
    if transport + 20 > len(frame):
        return None
    shim = transport + (4 * (frame[transport + 12] >> 4) if protocol == 253 else 8)
    return shim if shim + 4 <= len(frame) and frame[shim] == 1 else None


def block(kind, body):
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def repack(data):
    out, at, packed = [], 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == SECTION and data[at + 8:at + 12] != b"\x4D\x3C\x2B\x1A":
            sys.exit("shim2: only little-endian pcapng is read")
        body = bytearray(data[at + 8:at + length - 4])
        if kind == SECTION:
            text = SAID.encode()
            option = struct.pack("<HH", COMMENT, len(text)) + text + bytes(-len(text) % 4)
            rest = bytes(body[16:]) or struct.pack("<HH", END, 0)
            body[16:] = option + rest
        elif kind == ENHANCED:
            captured = struct.unpack_from("<I", body, 12)[0]
            frame = body[20:20 + captured]
            shim = shim_of(frame)
            if shim is not None:
                frame[shim] = 0x20
                frame[shim] |= crc4(frame[shim:shim + 4])
                body[20:20 + captured] = frame
                packed += 1
        out.append(block(kind, bytes(body)))
        at += length
    return b"".join(out), packed


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as old:
        new, packed = repack(old.read())
    with open(sys.argv[2], "wb") as out:
        out.write(new)
    print(f"{packed} packed frames")


if __name__ == "__main__":
    main()
