# SPDX-License-Identifier: Apache-2.0
"""Sends commands signals after so much time of the processor; prints what does not end as it should. Arguments: only commands with
these words in them; --after SECONDS,...: at which times."""
import argparse
import os
import signal
import subprocess
import time
from pathlib import Path

HEDDLE, TOP = os.environ["HEDDLE"], os.environ["TOP"]
TICKS = os.sysconf("SC_CLK_TCK")
AFTER_S = [0.02, 0.1, 0.3, 0.7, 1.3, 2.2]  # the command's own time and that of all its children
LATE_S, HANGS_S = 1.0, 60
COMMANDS = [
    "run -- ./forever",
    "run --runs 100000 -- ./counter",
    "check -- ./forever",
    "check --time 1000 --explore 1000000 -- ./long",
    "check --time 1000 --explore 1000000 --jobs 2 -- ./counter",
    "replay long.heddle/runs/1",
    "minimize transfer.heddle/runs/1",
    "predict S.trace",
    "predict --jobs 2 S.trace",
    "trace dump S.trace",
    "trace stat S.trace",
    "trace convert S.trace out.std",
    "causes -- ./transfer",
    "guards -- ./long",
    "fix -- ./counter",
    "verify --before ./counter --after ./counter",
    "why-not --dir counter.heddle counter.c:1 counter.c:2",
    "campaign new planned --runs 100000 -- ./counter",
    "selftest",
    "demo counter",
    "ci -- ./counter",
    f"c++ -std=c++20 -g -O1 -c {TOP}/tests/programs/cpp-regex.cpp -o regex.o",
]


def processes():
    """{pid: (parent, seconds used, those of its children included)}"""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS)
    return found


def tree(root):
    """The processes below one, and their time."""
    all_of_them, inside, used = processes(), [root], 0.0
    for pid in inside:
        used += all_of_them.get(pid, (0, 0.0))[1]
        inside += [p for p, (parent, _) in all_of_them.items() if parent == pid]
    return inside, used


def marked(mark):
    """What is left of a command."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes() and "State:\tZ" not in (path.parent / "status").read_text():
                yield (path.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            pass


def ended(p, seconds):
    """The status and the time of a process that ends in that time; None: it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status, usage = os.wait4(p.pid, os.WNOHANG)
        if pid:
            p.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.002)
    return None


def judge(command, number, after):
    """False: it was over before."""
    mark = f"STOPPED_COMMANDS={os.getpid()}-{after}"
    key, value = mark.split("=")
    p = subprocess.Popen([HEDDLE, *command.split()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=dict(os.environ, **{key: value}), start_new_session=True)
    while True:
        used = tree(p.pid)[1]
        if used >= after:
            break
        if ended(p, 0.002) is not None:
            return False
    p.send_signal(number)
    total = ended(p, HANGS_S)
    said = f"{command}: {number.name} after {after} s:"
    if total is None:
        print(said, "goes on")
        for pid in reversed(tree(p.pid)[0]):
            os.kill(pid, signal.SIGKILL)
        p.wait()
        return True
    if total - used > LATE_S:
        print(said, f"{total - used:.1f} s more")
    was_over = p.returncode in (0, 1, 3)  # just then: what goes on for long is told above
    if not was_over and p.returncode not in (128 + number, -number):
        print(said, f"exit code {p.returncode}")
    left = list(marked(mark.encode()))
    if left:
        time.sleep(1)  # the kernel may still be about it
        for line in marked(mark.encode()):
            print(said, "still there:", line)
    return not was_over


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--after", type=lambda text: [float(t) for t in text.split(",")], default=AFTER_S)
parser.add_argument("words", nargs="*")
args = parser.parse_args()
for command in COMMANDS:
    if args.words and not any(word in command for word in args.words):
        continue
    for i, after in enumerate(args.after):
        if not judge(command, (signal.SIGTERM, signal.SIGINT)[i % 2], after):
            break
print("ended")
