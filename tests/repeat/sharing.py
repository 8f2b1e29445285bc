#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/repeat/sharing.py PART/PARTS | NAME... - two passes record exactly what is shared.

Each program of tests/programs is recorded completely in one pass and then in two, under the same
schedule. The second trace must be what is left of the first one when all accesses go to memory that
no two threads shared. What is shared is found out here, from the complete trace, by another way than
the runtime's: all pairs of accesses to eight bytes, with clocks that know creations and joins only.
Prints one line per program that is otherwise."""
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

TOP = Path(os.environ["TOP"])
sys.path.insert(0, str(TOP / "tests/repeat"))
import programs  # noqa: E402

HEDDLE = os.environ["HEDDLE"]
READ = {"read", "load", "read-range"}
WRITE = {"write", "store", "write-range", "rmw", "cas"}
TRACE_MAX_BYTES = 200_000  # larger ones take too long here
# Not compared: the trace is of a process that ended without saying so; or the two recordings differ
# because the world does (chance, what files are like, when a child or a client comes).
OTHER = {"exec-self", "chance", "fork-atfork", "scandir", "sem-processes", "server", "spawn-system",
         "cpp-static-library"}


class Event:
    def __init__(self, line, sites):
        words = line.split(" ")
        self.thr, self.kind = int(words[0][1:]), words[1]
        self.addr = self.len = 0
        for word in words[2:3]:
            m = re.fullmatch(r"(0x[0-9a-f]+):?(\d*)", word)
            if m:
                self.addr, self.len = int(m[1], 16), int(m[2] or 0)
        self.peer = int(words[2][1:]) if self.kind in ("create", "join") else None
        # numbers of events and sites differ from trace to trace
        self.text = re.sub(r" by #\d+", "", line[:line.rindex(" @")]) + " " + sites[int(words[-1][1:])]

    def cells(self):
        return range(self.addr >> 3, (self.addr + self.len + 7) >> 3)


def read(path):
    """Event objects of a trace."""
    text = subprocess.run([sys.executable, TOP / "tests/golden/trace/read-binary.py", path],
                          capture_output=True, text=True, check=True).stdout
    sites, events = [], []
    for line in text.splitlines():
        if line.startswith("site "):
            sites.append(re.sub(r" (unit|from) .*", "", line.split(" ", 2)[2]))
        elif re.match(r"T\d+ ", line):
            events.append(Event(line, sites))
    return events


class Clocks:
    """Which access comes before which by creations and joins alone."""

    def __init__(self):
        self.now = defaultdict(lambda: defaultdict(int))

    def step(self, e):
        mine = self.now[e.thr]
        if e.kind == "join":
            for u, n in self.now[e.peer].items():
                mine[u] = max(mine[u], n)
        mine[e.thr] += 1
        if e.kind == "create":
            self.now[e.peer].update(mine)
        return e.thr, mine[e.thr]

    def is_before(self, place, thr):
        return place[0] == thr or self.now[thr][place[0]] >= place[1]


class Memory:
    """All accesses to each life of each cell, as (event, place, writes)."""

    def __init__(self):
        self.clocks, self.lives, self.blocks = Clocks(), defaultdict(list), {}
        self.dead, self.shared = set(), set()
        self.life_of = {}  # (event number, cell) -> life

    def touch(self, number, place, cell, thr, writes):
        life = (cell, self.life_of.get(cell, 0))
        for other, other_writes in self.lives[life]:
            if (writes or other_writes) and not self.clocks.is_before(other, thr):
                self.shared.add(life)
        mine = (place, writes)
        if len(self.lives[life]) < 1000 or mine not in self.lives[life][-4:]:
            self.lives[life].append(mine)
        return life

    def feed(self, number, e):
        """Returns the lives that e touches."""
        place = self.clocks.step(e)
        if e.kind == "alloc":
            self.blocks[e.addr] = e.len
            for cell in e.cells():
                self.life_of[cell] = number
            return []
        if e.kind == "free":
            length = self.blocks.pop(e.addr, 0)
            cells = range(e.addr >> 3, (e.addr + length + 7) >> 3)
            for cell in cells:
                if self.lives[(cell, self.life_of.get(cell, 0))]:
                    self.touch(number, place, cell, e.thr, True)
                self.life_of[cell] = 0  # what comes now is a use after free, known by its address
            return []
        if e.kind in READ | WRITE:
            return [self.touch(number, place, c, e.thr, e.kind in WRITE) for c in e.cells()]
        return []


def compare(full, small):
    """Says what is wrong with small, or nothing."""
    memory = Memory()
    lives = [memory.feed(i, e) for i, e in enumerate(full)]
    at = 0
    news = defaultdict(lambda: True)
    for i, e in enumerate(full):
        is_there = at < len(small) and small[at].text == e.text
        if e.kind in READ | WRITE:
            wanted = any(life in memory.shared for life in lives[i])
        elif e.kind == "branch":
            wanted = news[e.thr] or None  # other things may be news too
        elif e.kind in ("stack-enter", "stack-leave", "external-write"):
            wanted = None
        elif e.kind == "hear" and " 0x100000000000000 " in e.text:
            wanted = None  # what such a write comes after
        else:
            wanted = True
        if wanted is True and not is_there:
            return f"event {i} is missing: {e.text}; instead: {small[at].text if at < len(small) else 'end'}"
        if wanted is False and is_there and not any(sticky(memory, life) for life in lives[i]):
            return f"event {i} is there, but nobody shares it: {e.text}"
        if is_there and (wanted is not False or any(sticky(memory, life) for life in lives[i])):
            at += 1
            if e.kind == "branch":
                news[e.thr] = False
            elif e.kind in READ or e.kind in ("rmw", "cas"):
                news[e.thr] = True
    return "" if at == len(small) else f"{len(small) - at} events too many, the first: {small[at].text}"


def sticky(memory, life):
    """Outside the heap an address that was shared once counts as shared for ever."""
    return (life[0], 0) in memory.shared


def record(out, want, options):
    argv = [HEDDLE, "run", "--timeout", "20", *options, "--", str(out), *shlex.split(want.get("args", ""))]
    done = subprocess.run(argv, capture_output=True, input="".join(line + "\n" for line in want["stdin"]).encode())
    return done.stderr.decode(errors="replace")


def check(path):
    want = programs.head(path)
    out, errors = programs.build(path, want)
    if errors:
        return "does not build: " + errors[:200]
    runs = Path(out.name + ".heddle/runs")
    for policy in programs.POLICIES[:2]:
        record(out, want, [*policy, "--budget", "100000"])
        if (runs / "last/trace").stat().st_size > TRACE_MAX_BYTES:
            continue
        full = read(runs / "last/trace")
        errors = record(out, want, [*policy, "--passes", "2"])
        if "diverged" in errors:
            return "diverged: " + errors[:300]
        wrong = compare(full, read(runs / "last/trace"))
        if wrong:
            return " ".join(policy) + ": " + wrong
    return ""


def main():
    sources = sorted([*programs.PROGRAMS.glob("*.c"), *programs.PROGRAMS.glob("*.cpp")])
    not_yet = programs.not_yet()
    if re.fullmatch(r"\d+/\d+", sys.argv[1]):
        part, parts = map(int, sys.argv[1].split("/"))
        sources = [s for s in sources if s.stem not in not_yet | OTHER][part::parts]
    else:
        sources = [s for s in sources if s.stem in sys.argv[1:]]
    for source in sources:
        wrong = check(source)
        if wrong:
            print(f"{source.stem}: {wrong}", flush=True)


main()
