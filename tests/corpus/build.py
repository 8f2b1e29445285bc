# SPDX-License-Identifier: Apache-2.0
"""A package, built twice by its own build system: once with clang, once with `heddle cc`, with the CPU seconds that took."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import fetch

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
BUILD_S = 3000


class Failure(Exception):
    pass


def shell(script, where, env, log):
    """Gives what it printed; its messages go to the log."""
    with open(log, "ab") as errors:
        done = subprocess.run(["sh", "-eu", "-c", script], cwd=where, env=env, stdout=subprocess.PIPE, stderr=errors,
                              stdin=subprocess.DEVNULL, timeout=BUILD_S)
    with open(log, "ab") as out:
        out.write(done.stdout)
    if done.returncode:
        raise Failure(f"`{script.split(';')[0][:60]}...` ended with {done.returncode}; see {log}")
    return done.stdout.decode(errors="replace")


def plain(text, where, names):
    """Without what must differ: directories, the compiler's name, times."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "COMPILER")
    text = text.replace(str(where), "DIR")
    return [line for line in text.splitlines()
            if not re.search(r"COMPILER|heddle c|CMAKE_AR|CMAKE_RANLIB|Build dir|done \(|seconds|^--.*(working|info)|\(cached\)",
                             line)]


def configure(package, where, env, names):
    """What the package's configuration found, as lines."""
    if not (where / "configured.log").exists():
        (where / "configured.log").write_text(shell(package.configure, where, env, where / "build.log"))
    found = plain((where / "configured.log").read_text(), where, names)
    for path in package.configured:
        found += plain((where / path).read_text(), where, names)
    return found


def unlink_old(package, where, heddle):
    """A program with an older runtime than ours is linked again."""
    now = (heddle.parent / "libheddle-rt.a").stat().st_mtime
    for path in {where / run.argv[0] for run in package.runs}:
        if path.exists() and path.stat().st_mtime < now:
            path.unlink()
            (where / "built").unlink(missing_ok=True)


def make(package, where, env):
    """Its seconds are those of the first time, when everything was compiled."""
    if (where / "built").exists() and (where / "built").read_text() == package.make:
        return
    before = sum(os.times()[2:4])
    shell(package.make, where, env, where / "build.log")
    if not (where / "seconds").exists():
        (where / "seconds").write_text(f"{sum(os.times()[2:4]) - before:.1f}")
    (where / "built").write_text(package.make)


def build(package, sources, top, heddle, more=()):
    """Both sides, and more of them (name, CC, CXX); gives their directories, in what they were configured otherwise, and the
    seconds of each side."""
    found, dirs, seconds = {}, {}, {}
    for side, cc, cxx in ("clang", "clang-19", "clang++-19"), ("heddle", f"{heddle} cc", f"{heddle} c++"), *more:
        where = dirs[side] = top / "build" / package.name / side
        env = dict(os.environ, CC=cc, CXX=cxx, LC_ALL="C", DRIVERS=str(HERE / "drivers"))
        if not (where / "configured.log").exists():
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir(parents=True)
            for name, source in sources.items():
                shutil.copytree(source, where / name, symlinks=True)
        if side == "heddle":
            unlink_old(package, where, heddle)
        found[side] = configure(package, where, env, [cc, cxx, str(heddle), "clang-19"])
        make(package, where, env)
        seconds[side] = float((where / "seconds").read_text())
    differ = [f"{a!r} and {b!r}" for a, b in zip(found["clang"], found["heddle"]) if a != b]
    if len(found["clang"]) != len(found["heddle"]):
        differ.append(f"{len(found['clang'])} and {len(found['heddle'])} lines")
    return dirs, differ, seconds


def fetch_and_build(package, top, heddle, more=()):
    """Gives the versions and what `build` gives."""
    sources, versions = {}, []
    for name in package.sources:
        sources[name], version = fetch.fetch(top, name)
        versions.append(f"{name} {version}")
    return (", ".join(versions), *build(package, sources, top, heddle, more))


def commit(heddle):
    """Of the tool, if it is the one built here."""
    if TOP not in heddle.parents:
        return "-"
    asked = ["git", "-C", str(TOP)]
    name = subprocess.run([*asked, "rev-parse", "--short=9", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*asked, "status", "--porcelain", "-uno", "--", "src", "include"], capture_output=True, text=True)
    return name + ("+" if changed.stdout.strip() else "")
