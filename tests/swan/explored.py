# SPDX-License-Identifier: Apache-2.0
"""What exploration says about a program: the ground truth that verdicts are measured by.

A program is `fails` if one of its schedules ends worse than `exit 0`, and does so again when it is
replayed; `passes` if none does that was looked at; `complete` says that these were all of them, up to
equivalence."""
import os
import re
import subprocess
from collections import namedtuple
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
HEDDLE = os.environ.get("HEDDLE", str(TOP / "build/heddle"))

# outcome: "fails" or "passes"; how: the policy that showed it; runs: how many it took
Truth = namedtuple("Truth", "outcome complete how runs")


class Broken(Exception):
    """The program cannot be built, or a run of it cannot be judged."""


def build(source, program, *flags):
    compiler = "c++" if str(source).endswith(".cpp") else "cc"
    argv = [HEDDLE, compiler, "-g", "-I", str(TOP / "include"), *flags, str(source), "-o", str(program)]
    p = subprocess.run(argv, capture_output=True, text=True)
    if p.returncode != 0:
        raise Broken(p.stdout + p.stderr)


def fails_again(outcome, run, cwd):
    """A busy machine can make a run hang once. What only the output shows needs no second look."""
    if outcome.startswith("oracle"):
        return True
    p = subprocess.run([HEDDLE, "replay", "-q", "--timeout", "30", run], capture_output=True, cwd=cwd)
    return p.returncode not in (0, 3, 4)


def explore(program, policy, runs=None, seconds=60, args=(), more=(), options=()):
    """Runs the program under many schedules; options make its oracle. None: not finished in time."""
    argv = [HEDDLE, "run", "--policy", policy, "--keep", "1", "--timeout", "10", "--until", "fail", *more,
            *options]
    argv += ["--runs", str(runs), "--seed", "1"] if runs else []
    argv += ["--", str(program), *map(str, args)]
    # The limit is a signal to heddle alone: it ends its children and tells what it has seen.
    p = subprocess.run(["timeout", "--foreground", "-s", "INT", "-k", "10", str(seconds), *argv],
                       capture_output=True, text=True, cwd=Path(program).parent)
    rows = re.findall(r"^(\S.*?)\s{2,}(\d+)\s+\d+  heddle replay (\S+)", p.stdout, re.M)
    total = sum(int(count) for _, count, _ in rows)
    bad = [name for name, _, _ in rows if name != "exit 0"]
    if any(name.startswith(("unsupported", "diverged")) for name in bad):
        raise Broken(", ".join(bad))
    done = re.search(r"^complete: ", p.stdout, re.M) is not None
    if bad and not any(fails_again(name, run, Path(program).parent) for name, _, run in rows if name != "exit 0"):
        raise Broken(f"{', '.join(bad)}, but not when it was replayed")
    if bad:
        return Truth("fails", done, " ".join([policy, *more]), total)
    if p.returncode == 0 and (done or runs):
        return Truth("passes", done, policy, total)
    if p.returncode not in (0, 1, 124, 130, 137):
        raise Broken(f"{' '.join(argv)}: exit {p.returncode}\n{p.stdout}{p.stderr}")
    return None


def ground_truth(program, args=(), seconds=20, runs=300, options=()):
    """All schedules if that ends in time, else many: by chance, by priorities, by partial orders."""
    for policy in "pos", "pct:3":
        truth = explore(program, policy, 20, seconds, args, options=options)
        if truth and truth.outcome == "fails":
            return truth
    truth = explore(program, "exhaustive", None, seconds, args, options=options)
    if truth:
        return truth
    total = 0
    for policy in "pos", "pct:3", "random", "pct:2":
        truth = explore(program, policy, runs, 6 * seconds, args, options=options)
        if truth is None:
            raise Broken(f"{runs} runs under {policy} take more than {6 * seconds} s")
        if truth.outcome == "fails":
            return truth
        total += truth.runs
    return Truth("passes", False, "pos, pct:3, random, pct:2", total)
