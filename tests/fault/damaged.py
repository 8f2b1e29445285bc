# SPDX-License-Identifier: Apache-2.0
"""damaged HEDDLE KEPT SCHEDULE COUNT - changes bytes of, and cuts, what a run is replayed from.

KEPT is a recorded run with what a client said, SCHEDULE one of another run in which that client was played. Whatever
is damaged, the command ends: as usual, since not every byte matters, or with one line that says why. Prints what does
neither. The same damage each time."""
import random
import shutil
import subprocess
import sys
from pathlib import Path

NUMBERS = (0, 1, 127, 128, 255, 256, 1 << 16, 1 << 31, (1 << 32) - 1)
USAGE, INSIDE = 2, "mistake in Heddle itself"
NAMED = ("it asked for more input than was recorded", "no longer fits what the program said")


def damaged(rng, data):
    data = bytearray(data)
    if rng.random() < 0.2:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.choice((1, 1, 2, 6))):
        at = rng.randrange(len(data))
        if rng.random() < 0.5:
            data[at] = rng.randrange(256)
        else:
            at &= ~3
            data[at : at + 4] = rng.choice(NUMBERS).to_bytes(4, "little")
    return bytes(data)


def command(what, kept, schedule, rng):
    """The file that is damaged, and what reads it."""
    copy = Path("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kept, copy)
    if what == "arrivals":
        file = Path("schedule")
        file.write_bytes(schedule.read_bytes())
        argv = ["run", "--timeout", "20", "--schedule", str(file), "--peers", str(kept), "--", "./prog"]
    elif what == "peers":
        file = copy / "peers"
        file.unlink()  # it may be a link to the one that is kept
        file.write_bytes((kept / "peers").read_bytes())
        argv = ["run", "--timeout", "20", "--policy", "random", "--peers", str(copy), "--", "./prog"]
    else:
        file, argv = copy / what, ["replay", str(copy)]
    file.write_bytes(damaged(rng, file.read_bytes()))
    return argv


def complaint(r):
    """What is wrong with how it ended; empty: nothing."""
    said = [line for line in r.stderr.splitlines() if line.startswith("heddle: ")]
    is_stuck = "the time limit struck" in r.stderr and not any(name in r.stderr for name in NAMED)
    if r.returncode < 0 or INSIDE in r.stderr or "crash" in r.stderr or is_stuck:
        return "ends badly"
    if r.returncode == USAGE or (r.returncode > 2 and not said) or len(said) > 3:
        return f"says {len(said)} lines"
    return ""


def main():
    heddle, kept, schedule, count = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    for what in ("arrivals", "peers", "input", "schedule"):
        rng, bad = random.Random(17), 0
        for i in range(count):
            argv = command(what, kept, schedule, rng)
            shutil.rmtree("prog.heddle", ignore_errors=True)
            try:
                r = subprocess.run([heddle, *argv], capture_output=True, text=True, errors="replace", timeout=60,
                                   stdin=subprocess.DEVNULL, check=False)
                why = complaint(r)
                text = f"exit {r.returncode}: {' '.join(r.stderr.split())[-200:]}"
            except subprocess.TimeoutExpired:
                why, text = "does not end", ""
            if why:
                bad += 1
                print(f"{what} {i}: {why}: {text}")
        print(f"{what}: {count - bad} of {count}")


main()
