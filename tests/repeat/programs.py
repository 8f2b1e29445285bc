#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/repeat/programs.py REPLAYS PART/PARTS | NAME... - the programs of tests/programs under Heddle.

Each is built with `heddle cc` or `heddle c++`, run under fifo and under two random schedules, and
must end and print as its head says; then the first run is replayed REPLAYS times and once more, the
others once, one of them with ASLR, and must come out the same, event by event. With many replays many
other schedules are run too, and must end and print the same, and some of those are recorded and replayed.
Prints one line per program that does not, as soon as it is known, and then a count. Which programs are
done, and how long each took, is in the file `progress`; $SINCE=NAME goes on with that one.
Without names the programs of tests/repeat/not-yet are left out."""
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
PROGRAMS = Path(os.environ["TOP"]) / "tests/programs"
OUTCOME = re.compile(r"^heddle: (\w+)", re.M)
MANY = 100  # replays
POLICIES = [["--policy", "fifo"], ["--policy", "random", "--seed", "1"], ["--policy", "pct:3", "--seed", "2"]]


def head(path):
    """The expectations in the comments at the top."""
    found = {"stdout": [], "stdin": []}
    for line in path.read_text().splitlines():
        m = re.match(r"//~ (\w+): ?(.*)", line)
        if not m:
            continue
        if m[1] in ("stdout", "stdin"):
            found[m[1]].append(m[2])
        else:
            found[m[1]] = m[2]
    return found


def build(path, want):
    tool = "c++" if path.suffix == ".cpp" else "cc"
    standard = want.get("std", "c++20" if tool == "c++" else "c17").replace("c1", "gnu1") if tool == "cc" else want.get("std", "c++20")
    out = Path(path.stem).resolve()
    done = subprocess.run([HEDDLE, tool, f"-std={standard}", "-D_GNU_SOURCE", "-O1", "-g", "-pthread", str(path), "-o", str(out),
                           *want.get("flags", "").split()], capture_output=True, text=True)
    return out, done.stderr if done.returncode else ""


def ended(code, errors, want):
    """Says what is wrong with how it ended, or nothing."""
    if "outcome" in want:
        word = OUTCOME.search(errors)
        got = word[1] if word else f"exit {code}"
        return "" if want["outcome"].startswith(got) else f"outcome {got}, not {want['outcome']}: {errors[:300]}"
    if code != int(want.get("exit", 0)):
        return f"exit {code}: {errors[:300]}"
    return ""


def replay_options(policy, replays):
    """The first run many times, another one at addresses that the system chooses."""
    if policy is POLICIES[0]:
        return [[], ["--times", str(replays)]]
    return [["--aslr"]] if policy is POLICIES[1] else [[]]


def explore(program, want, stdin, runs):
    """Says which schedules end or print otherwise, or nothing."""
    if "outcome" in want or "explore" in want:
        return ""
    expect = []
    if want["stdout"] and "only" not in want:
        Path("expected").write_text("".join(line + "\n" for line in want["stdout"]))
        expect = ["--expect", "expected"]
    for policy in ("random", "pos", "pct:3", "rr"):
        done = subprocess.run([HEDDLE, "run", "--policy", policy, "--runs", str(runs), *expect, "--", str(program),
                               *shlex.split(want.get("args", ""))], input=stdin, capture_output=True, text=True, errors="replace")
        ends = [line.split("  ")[0] for line in done.stdout.splitlines()[1:]]
        if ends != ["exit " + want.get("exit", "0")]:
            return f"explored by {policy}: {ends} {done.stderr[:300]}"
    return ""


def replay_others(program, want, stdin, count):
    """Says which of some other schedules is not repeated by its replay, or nothing."""
    for seed in range(10, 10 + count):
        policy = ["--policy", ("random", "pos", "pct:3")[seed % 3], "--seed", str(seed)]
        run = subprocess.run([HEDDLE, "run", "--timeout", "20", *policy, "--", str(program), *shlex.split(want.get("args", ""))],
                             input=stdin, capture_output=True, text=True, errors="replace")
        again = subprocess.run([HEDDLE, "replay", f"{program.name}.heddle/runs/last"], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, errors="replace")
        if (again.returncode, again.stdout) != (run.returncode, run.stdout):
            return " ".join(policy[1:]) + f" replay: {again.returncode} {again.stderr[:300]}"
    return ""


def check(path, replays):
    want = head(path)
    program, fault = build(path, want)
    if fault:
        return "does not build: " + fault[:300]
    stdin = "".join(line + "\n" for line in want["stdin"])
    hangs = want.get("outcome") == "hang"  # its runs and replays last until the limit
    for policy in POLICIES[:1] if hangs else POLICIES:
        argv = [HEDDLE, "run", "--timeout", "1" if hangs else "20", *policy, "--", str(program), *shlex.split(want.get("args", ""))]
        run = subprocess.run(argv, input=stdin, capture_output=True, text=True, errors="replace")
        fault = ended(run.returncode, run.stderr, want)
        certain = want.get("only", policy[1]) == policy[1]
        if not fault and certain and want["stdout"] and run.stdout.splitlines() != want["stdout"]:
            fault = f"printed {run.stdout[:200]!r}"
        if fault:
            return " ".join(policy[1:]) + ": " + fault
        for how in replay_options(policy, 1 if hangs else replays):
            again = subprocess.run([HEDDLE, "replay", f"{program.name}.heddle/runs/last", *how], stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, errors="replace")
            printed = run.stdout if how[:1] != ["--times"] or how[1] == "1" else ""
            if (again.returncode, again.stdout) != (run.returncode, printed):
                return " ".join(policy[1:] + ["replay"] + how) + f": {again.returncode} {again.stderr[:300]}"
    if replays < MANY or hangs:
        return ""
    return replay_others(program, want, stdin, replays // 50) or explore(program, want, stdin, replays // 5)


def not_yet():
    lines = (Path(__file__).parent / "not-yet").read_text().splitlines()
    return {line.split()[0] for line in lines if not line.startswith("#")}


def main():
    replays, words = int(sys.argv[1]), sys.argv[2:]
    paths = sorted(p for p in PROGRAMS.iterdir() if p.suffix in (".c", ".cpp"))
    if words and "/" in words[0]:
        part, parts = map(int, words[0].split("/"))
        left_out = not_yet()
        paths = [p for p in paths[part::parts] if p.stem not in left_out]
    else:
        paths = [p for p in paths if not words or p.stem in words]
    paths = [p for p in paths if p.stem >= os.environ.get("SINCE", "")]
    faults = 0
    for i, path in enumerate(paths):
        start = time.monotonic()
        fault = check(path, replays)
        if fault:
            faults += 1
            print(f"{path.name}: {fault}", flush=True)
        with open("progress", "a") as progress:
            print(f"{i + 1} of {len(paths)}: {path.name}, {time.monotonic() - start:.0f} s", file=progress)
    if faults or not paths:
        sys.exit(f"{len(paths) - faults} of {len(paths)} programs right")


if __name__ == "__main__":
    main()
