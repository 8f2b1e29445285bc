# SPDX-License-Identifier: Apache-2.0
"""One test of a package: run as it was built by clang, recorded, replayed, checked; with limits of time. Those of memory are
Heddle's own: where there is a limit of addresses (ulimit -v) it cannot know what is shared."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import table

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
REPLAYS, RUN_S, CHECK_S, GRACE_S, TEXT_BYTES = 3, 60, 120, 15, 20_000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def end(pid, hard):
    """Ends a program that has a session of its own: asks it first, then takes all that it started."""
    if hard:
        os.killpg(pid, signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGINT)


class Done:
    """How a program ended: exit code (or what was done to end it), seconds, peak memory in MB, what it printed."""

    def __init__(self, work, argv, env, limit_s, client=None):
        begin = time.time()
        with open(work / "stdout", "wb") as out, open(work / "stderr", "wb") as errors:
            p = subprocess.Popen(argv, stdout=out, stderr=errors, stdin=subprocess.DEVNULL, cwd=work, preexec_fn=os.setsid,
                                 env=dict(os.environ, **env))
        if client:
            subprocess.run(client, capture_output=True, timeout=limit_s)
        asked, killed = False, False
        while True:
            pid, status, usage = os.wait4(p.pid, os.WNOHANG)
            if pid:
                break
            spent = time.time() - begin
            if spent > limit_s and not asked or spent > limit_s + GRACE_S and not killed:
                end(p.pid, hard=asked)
                asked, killed = True, asked
            time.sleep(0.02)
        p.returncode = os.waitstatus_to_exitcode(status)
        self.code = "killed" if killed else p.returncode
        self.seconds, self.memory = time.time() - begin, usage.ru_maxrss // 1024
        self.cpu = usage.ru_utime + usage.ru_stime
        self.out, self.errors = ((work / name).read_text(errors="replace") for name in ("stdout", "stderr"))


class Test:
    """One test of a package, in a directory of its own."""

    def __init__(self, package, run, top, dirs, heddle):
        self.run, self.dirs, self.heddle = run, dirs, str(heddle)
        self.name = table.test_name(run)
        self.work = top / "run" / package.name / re.sub(r"\W+", "_", self.name)
        self.text = None

    def put_text(self):
        sample = b"".join(p.read_bytes() for p in sorted((TOP / "src").rglob("*.[ch]")))
        (self.work / "text").write_bytes(sample[:TEXT_BYTES])

    def fresh(self):
        """An empty directory but for the text, and a free port."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.put_text()
        self.port = free_port() if self.run.client else ""

    def words(self, side):
        words = [w.replace("$TEXT", "text").replace("$PORT", self.port).replace("$BUILT", str(self.dirs[side]))
                 for w in self.run.argv]
        return [str(self.dirs[side] / words[0]), *words[1:]]

    def client(self):
        words = [w.replace("$PORT", self.port) for w in self.run.client or []]
        return [str(HERE / words[0]), *words[1:]] if words else None

    def is_right(self, done):
        if done.code != 0:
            return False
        env = dict(os.environ, OUT=str(self.work / "stdout"), TEXT=str(self.work / "text"))
        return subprocess.run(["sh", "-c", self.run.check], env=env, capture_output=True).returncode == 0

    def natively(self, side, env):
        self.fresh()
        return Done(self.work, self.words(side), {**self.run.env, **env}, RUN_S, self.client())

    def native(self):
        return self.is_right(self.natively("clang", {}))

    def record(self):
        """Whether the recorded run was right, how many replays were exact, and what the first inexact one said."""
        self.fresh()
        first = Done(self.work, [self.heddle, "run", "--timeout", str(RUN_S), "--", *self.words("heddle")], self.run.env,
                     RUN_S + GRACE_S, self.client())
        right = self.is_right(first)
        runs, exact, fault = list(self.work.glob("*.heddle/runs/1")), 0, "" if right else first.errors
        for _ in range(REPLAYS if runs else 0):
            again = Done(self.work, [self.heddle, "replay", "--timeout", str(RUN_S), str(runs[0])], self.run.env,
                         RUN_S + GRACE_S)
            if again.code == first.code and again.out == first.out:
                exact += 1
            elif not fault:
                fault = again.errors or f"exit code {again.code}, or another output"
        return right, exact, fault

    def check(self):
        self.fresh()
        # Without its client a server waits for ever: only the recorded run has one.
        options = ["--no-explore"] if self.run.client else []
        return Done(self.work, [self.heddle, "check", "--json", *options, "--", *self.words("heddle")], self.run.env, CHECK_S,
                    self.client())
