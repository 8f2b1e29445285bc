#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/oracle/recorded.py PART/PARTS | NAME... - predictions about what our own recorder records.

Programs of tests/programs are run under a random schedule. `heddle predict` must accept the
recording as an execution and know every primitive in it, and its checker must accept every witness.
Prints one line per program where that is not so, and then a count."""
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["TOP"]) / "tests/repeat"))
from programs import HEDDLE, PROGRAMS, build, head  # noqa: E402

QUIET = ("heddle: mode sound",)
SLOW = {"fail-no-end", "fail-stack-overflow", "fail-spin", "sleep-hour", "threads-200"}


def check(path):
    want = head(path)
    program, fault = build(path, want)
    if fault:
        return "does not build: " + fault[:300]
    argv = [HEDDLE, "run", "--timeout", "20", "--policy", "random", "--seed", "7", "--", str(program)]
    stdin = "".join(line + "\n" for line in want["stdin"])
    subprocess.run(argv + shlex.split(want.get("args", "")), input=stdin, capture_output=True, text=True, errors="replace")
    done = subprocess.run([HEDDLE, "predict", f"{program.name}.heddle/runs/last/trace", "--symbolic=off"], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if line.startswith("heddle:") and not line.startswith(QUIET)]
    if done.returncode != 0 or said:
        return f"exit {done.returncode}: " + " / ".join(said)[:300]
    return ""


def main():
    words = sys.argv[1:]
    paths = sorted(p for p in PROGRAMS.iterdir() if p.suffix in (".c", ".cpp") and p.stem not in SLOW)
    if words and "/" in words[0]:
        part, parts = map(int, words[0].split("/"))
        paths = paths[part::parts]
    else:
        paths = [p for p in paths if not words or p.stem in words]
    faults = [(p.name, fault) for p in paths if (fault := check(p))]
    for name, fault in faults:
        print(f"{name}: {fault}")
    print(f"{len(paths) - len(faults)} of {len(paths)} recordings understood")


if __name__ == "__main__":
    main()
