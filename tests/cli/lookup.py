# SPDX-License-Identifier: Apache-2.0
"""Answers what is asked about names: all that end in .test have one address, and that one has a name."""
import fcntl
import socket
import struct

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
s.bind(("127.0.0.1", 53))
print("up", flush=True)
while True:
    q, who = s.recvfrom(512)
    end = q.index(b"\0", 12) + 5
    kind = struct.unpack(">H", q[end - 4:end - 2])[0]
    known = q[12:end - 5].lower().endswith(b"\4test") or b"in-addr" in q
    body, count = b"", 0
    if known and kind == 1:
        body, count = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([192, 0, 2, 7]), 1
    if known and kind == 12:
        name = b"\3one\4test\0"
        body, count = b"\xc0\x0c" + struct.pack(">HHIH", 12, 1, 60, len(name)) + name, 1
    s.sendto(q[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, count, 0, 0) + q[12:end] + body, who)
