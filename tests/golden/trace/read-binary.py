#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read-binary.py TRACE - print a binary trace in the text notation, with addresses for names.

Written from docs/format.md alone and with no code of Heddle's: if the page is wrong, this fails.
The tables of kinds and words are read out of the page."""
import re
import struct
import sys
from pathlib import Path

PAGE = (Path(__file__).resolve().parents[3] / "docs/format.md").read_text()
BLOCK, LOW64 = 1 << 20, (1 << 64) - 1
SITE, THREAD, OBJECT, SWITCH, REPEAT, BEGINS, ACCESS = 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x80


def table_behind(title):
    """The rows of the first table behind a title, as lists of cells."""
    lines = PAGE[PAGE.index(title):].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])


KINDS = {int(row[0]): (row[1], row[3]) for row in table_behind("### Event kinds")}
ORDERS, FLAGS, BRANCHES, CLASSES, MARKS = (
    {int(row[0]): row[1] for row in table_behind(title)}
    for title in ("**Memory orders**", "**Flags**", "**Reasons of a branch**", "**Classes**", "**Marks**"))
NUMBER_WORD = {"acquire": "depth", "release": "depth", "refused": "error", "futex-wait": "error"}


def unzigzag(n):
    return (n >> 1) ^ -(n & 1)


def checksum(data):
    def mix(x, word, factor, shift):
        x = (x ^ word) * factor & LOW64
        return x ^ x >> shift

    def rot(x, n):
        return (x << n | x >> (64 - n)) & LOW64
    a, b, c, d = 0x9E3779B97F4A7C15, len(data), 1, 2
    whole = len(data) // 32 * 32
    for w0, w1, w2, w3 in struct.iter_unpack("<4Q", data[:whole]):
        a = mix(a, w0, 0xFF51AFD7ED558CCD, 32)
        b = mix(b, w1, 0xC4CEB9FE1A85EC53, 32)
        c = mix(c, w2, 0x87C37B91114253D5, 32)
        d = mix(d, w3, 0x4CF5AD432745937F, 32)
    for x in data[whole:]:
        a = mix(a, x, 0xFF51AFD7ED558CCD, 29)
    return a ^ rot(b, 1) ^ rot(c, 2) ^ rot(d, 3) or 1


def quoted(data):
    plain = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}" for c in data)
    return f'"{plain}"'


class Block:
    """One block's records, and the guesses that hold in it."""

    def __init__(self, data, at, end, thr):
        self.data, self.at, self.end, self.thr = data, at, end, thr
        self.site, self.addr, self.value = 0, {}, {}
        self.file, self.function, self.line = b"", b"", 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & LOW64

    def text(self):
        return self.take(self.varint())

    def event_site(self):
        self.site = self.site + unzigzag(self.varint()) & 0xFFFFFFFF

    def guess(self, addr):
        known, value = self.value.get((addr >> 2 ^ addr >> 14) % 4096, (0, 0))
        return value if known == addr else 0

    def remember(self, addr, value):
        self.value[(addr >> 2 ^ addr >> 14) % 4096] = (addr, value)

    def move(self, change):
        addr = self.addr.get(self.site % 4096, 0) + unzigzag(change) & LOW64
        self.addr[self.site % 4096] = addr
        return addr


def read_site(b, counts):
    same = b.byte()
    b.file = b.file if same & 1 else b.text()
    b.function = b.function if same & 2 else b.text()
    name = b.text()
    b.line += unzigzag(b.varint())
    column, statement, unit, ordinal = (b.varint() for _ in range(4))
    sources = [b.varint() for _ in range(b.varint())]
    where = quoted(b.file) if b.file else ""
    where += f":{b.line}" if b.line or column else ""
    where += f":{column}" if column else ""
    line = f"site {counts['site']} {where or '-'}"
    line += f" in {quoted(b.function)}" if b.function else ""
    line += f" of {quoted(name)}" if name else ""
    for word, n in ("stmt", statement), ("unit", unit), ("ordinal", ordinal):
        line += f" {word} {n}" if n else ""
    counts["site"] += 1
    return line + (" from " + " ".join(map(str, sources)) if sources else "")


def read_thread(b, counts):
    parent, spawn, name = b.varint(), b.varint(), b.text()
    line = f"thread T{counts['thread']}" + (f" parent T{parent - 1}" if parent else "")
    line += f" spawn {spawn}" if parent or spawn else ""
    counts["thread"] += 1
    return line + (f" {quoted(name)}" if name else "")


def read_object(b):
    kind, addr, size, name = CLASSES[b.byte()], b.varint(), b.varint(), b.text()
    return f"object - {kind} {addr:#x}:{size} {quoted(name)}"


def read_access(b, op):
    size = 1 << (op >> 4 & 3)
    b.event_site()
    addr = b.move(int.from_bytes(b.take([0, 1, 3, 6][op & 3]), "little"))
    change = int.from_bytes(b.take([0, 1, 4, 8][op >> 2 & 3]), "little")
    value = b.guess(addr) + unzigzag(change) & (1 << 8 * size) - 1
    b.remember(addr, value)
    return f"T{b.thr} {'write' if op & 0x40 else 'read'} {addr:#x}:{size} {value} @{b.site}"


def read_event(b, op, number):
    kind, letters = KINDS[op]
    b.event_site()
    words, v, w, addr = [f"T{b.thr}", kind], 0, 0, 0
    for i, letter in enumerate(letters):
        if letter == "A":
            addr = b.move(b.varint())
            has_size = letters[i + 1:i + 2] in ("Z", "L")
            if not (kind in ("mark", "end-signal") and addr == 0):
                words.append(f"{addr:#x}" + (":" if has_size else ""))
        elif letter == "Z":
            words[-1] += str(b.byte())
        elif letter == "L":
            length = b.varint()
            if letters[i - 1] != "A":
                words.append(f"len {length}")
            elif words[-1].endswith(":"):
                words[-1] += str(length)
        elif letter == "V":
            n = b.varint()
            v = b.guess(addr) + unzigzag(n) & LOW64 if letters.startswith("AZ") else n
            words.append(str(v))
        elif letter == "W":
            w = v + unzigzag(b.varint()) & LOW64
            words.append(f"{'->' if letters.startswith('AZ') else 'at'} {w}")
        elif letter == "F":
            flags = b.byte()
            words += [word for bit, word in FLAGS.items() if flags >> bit & 1]
        elif letter == "N":
            words.append(f"{NUMBER_WORD.get(kind, '')} {b.varint()}")
        elif letter == "T":
            words.append(f"T{b.varint()}")
        elif letter == "K":
            back = b.varint()
            words += [f"by #{number - back}"] if back else []
        elif letter == "S":
            words.append(quoted(b.text()))
        else:
            words.append({"M": ORDERS, "B": BRANCHES, "C": CLASSES, "R": MARKS}[letter][b.byte()])
    if letters.startswith("AZ"):
        stored = kind == "rmw" or (kind == "cas" and "failed" not in words)
        b.remember(addr, w if stored else v)
    return " ".join(words + [f"@{b.site}"])


def read_one(b, op, counts):
    counts["event"] += 1
    return read_access(b, op) if op >= ACCESS else read_event(b, op, counts["event"] - 1)


def read_repeat(b, counts):
    record = b.at - 1
    events, length, count = struct.unpack("<BHI", b.take(7))
    behind = b.at
    for i in range(count):
        if i % events == 0:
            assert i == 0 or b.at == record
            b.at = record - length
        yield read_one(b, b.byte(), counts)
    b.at = behind


def read_block(b, counts):
    while b.at < b.end:
        op = b.byte()
        if op == 0:
            return
        if op == SITE:
            yield read_site(b, counts)
        elif op == THREAD:
            yield read_thread(b, counts)
        elif op == OBJECT:
            yield read_object(b)
        elif op == SWITCH:
            b.thr = b.varint()
        elif op == BEGINS:
            b.text()  # the text notation leaves it out
        elif op == REPEAT:
            yield from read_repeat(b, counts)
        else:
            yield read_one(b, op, counts)


def main():
    data = Path(sys.argv[1]).read_bytes()
    magic, version, flags, block_bytes, _, event_count = struct.unpack_from("<8sIIIIQ", data)
    assert (magic, version, block_bytes) == (b"HDDTRACE", 2, BLOCK)
    words = [row[1] for row in table_behind("| flag |") if flags & int(row[0]) and int(row[0]) < 32]
    print("heddle trace 1", *words)
    counts = {"site": 0, "thread": 0, "event": 0}
    for start in range(0, len(data), BLOCK):
        at = start or 64
        magic, used, first, total, thr, _ = struct.unpack_from("<4sIQQII", data, at)
        assert (magic, first) == (b"HBLK", counts["event"])
        end = at + used if used else min(start + BLOCK, len(data))
        assert total in (0, checksum(data[at + 32:end]))
        for line in read_block(Block(data, at + 32, end, thr), counts):
            print(line)
    if not flags & 32:
        print("cut")
    else:
        assert event_count == counts["event"]


main()
