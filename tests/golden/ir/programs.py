#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""programs.py [-v] [NAME ...] - the recorded paths of tests/programs, executed once more.

Each program is built and run; a window of the whole run is recorded and executed over its bitcode.
Every term, evaluated with what was read, must be what was recorded. A thread's path may end early:
the reasons are counted. -v: a line per program, with instructions and events."""
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HEDDLE, BUILD, TOP = os.environ["HEDDLE"], os.environ["BUILD"], Path(os.environ["TOP"])
# no end; and too many threads for a quick test
LEFT_OUT = {"fail-no-end", "exec-self"}


def call(*argv):
    return subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)


def paths(source):
    program = "./" + source.stem
    compiler = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc"]
    built = call(HEDDLE, *compiler, "-O1", "-pthread", source, "-o", program, "-latomic", "-lrt")
    if built.returncode != 0:
        return None
    call(HEDDLE, "run", "--timeout", "20", "--", program)
    return call(f"{BUILD}/tools/bitcode", "paths", program, program + ".heddle/runs/last")


def reason(line):
    """Without numbers and places, which differ between machines."""
    text = line.rsplit("; ", 1)[1]
    text = re.sub(r" \(.*", "", text)
    return re.sub(r"(0x)?[0-9a-f]*[0-9][0-9a-f]*", "N", text)


verbose = "-v" in sys.argv
names = [a for a in sys.argv[1:] if a != "-v"]
reasons, threads, whole, wrong, programs = Counter(), 0, 0, 0, 0
for source in sorted((TOP / "tests/programs").glob("*.c*")):
    if source.stem in LEFT_OUT or (names and source.stem not in names):
        continue
    result = paths(source)
    if result is None:
        continue
    programs += 1
    lines = [l for l in result.stdout.splitlines() if re.match(r"T\d+: ", l)]
    ends = [reason(l) for l in lines]
    threads += len(lines)
    whole += ends.count("whole")
    reasons.update(e for e in ends if e != "whole")
    if result.returncode not in (0, 3):
        wrong += 1
        print(f"{source.stem}: exit {result.returncode} {result.stderr}"
              + "".join(l for l in result.stdout.splitlines() if l.startswith("WRONG")))
    if verbose:
        count = sum(int(re.search(r"(\d+) instructions", l)[1]) for l in lines)
        events = [sum(int(n) for n in re.findall(pattern, result.stdout))
                  for pattern in (r"instructions, (\d+) of", r"instructions, \d+ of (\d+) events")]
        print(f"{source.stem}: {count} instructions, {events[0]} of {events[1]} events; "
              f"{ends.count('whole')} of {len(lines)} threads to their ends"
              + "".join(f"; {r}" for r in sorted(set(ends) - {"whole"})))
if verbose:
    for text, count in reasons.most_common():
        print(f"{count:6} {text}")
    print(f"{programs} programs, {whole} of {threads} threads to their ends")
print(f"{wrong} wrong")
sys.exit(wrong > 0)
