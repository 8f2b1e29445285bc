# SPDX-License-Identifier: Apache-2.0
"""overview.py PAGE [PICTURES]: the page of a run: nothing goes wrong in it, all of 100,000 events are drawn in a second, keys and
clicks move it, what is held at an event is said, at three widths, light and dark; pictures of it, if a directory is named."""
import sys
from pathlib import Path

from browser import Browser, is_installed

SECOND_MS = 1000  # for one drawing, also on a busy machine
words = sys.argv[1:]
if not is_installed():
    print("no chromium here")
    sys.exit(77)


def expect(what, got, wanted):
    if got != wanted:
        print(f"{what}: {got!r}, not {wanted!r}")


def key(b, name, times=1):
    b.run("for (let i = 0; i < arguments[1]; i++) document.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0]}))", name, times)


def said(b):
    return b.run("return document.getElementById('said').textContent")


def in_view(b):
    return b.run("return heddle.view.to - heddle.view.from")


for dark in (False, True):
    with Browser(dark) as b:
        for width in (1200, 800, 500):
            b.size(width, 900)
            b.open(words[0])
            total = in_view(b)
            expect("100,000 events", total >= 100000, True)
            took = b.run("const a = performance.now(); document.dispatchEvent(new KeyboardEvent('keydown', {key: '0'}));"
                         "return performance.now() - a")
            expect(f"drawn in a second ({took:.0f} ms)", took < SECOND_MS, True)
            expect("no wider than the window", b.run("return document.documentElement.scrollWidth <= innerWidth"), True)
            if len(words) > 1:
                b.picture(str(Path(words[1], f"{'dark' if dark else 'light'}-{width}.png")))
            key(b, "+", 5)
            expect("zoomed", abs(in_view(b) - total / 32) < 1, True)
            key(b, "n")
            expect("a switch", b.run("const v = heddle.view.event; return v > 0"), True)
            before = said(b)
            key(b, "j")
            expect("the next event", said(b) != before, True)
            key(b, "k")
            expect("and back", said(b), before)
            at = b.run("const l = heddle.lanes[1].bars.find(x => x.what === 'held' && x.to - x.from > 2); return l.from + 1")
            b.run("heddle.view.event = arguments[0]; heddle.view.thread = 1", at - 1)
            key(b, "j")
            b.run("heddle.view.thread = -1")
            expect("holds", "holds locks" in said(b), True)
            row = "const r = document.querySelector('.tables tr[tabindex]'); r.click();"
            expect("a lock is picked", b.run(row + "return heddle.view.object > 0"), True)
            expect("its name", b.run("return document.querySelector('.tables tr.now td').textContent").startswith("locks"), True)
            box = b.run("const r = document.querySelector('canvas').getBoundingClientRect(); return [r.left + r.width / 2, r.top + 30]")
            actions = [{"type": "pointerMove", "x": int(box[0]), "y": int(box[1])}, {"type": "pointerDown", "button": 0},
                       {"type": "pointerUp", "button": 0}]
            was = b.run("return heddle.view.event")
            b.ask("POST", b.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})
            expect("a click", b.run("return heddle.view.event") != was, True)
            wrong = [m["message"] for m in b.messages() if m["level"] == "SEVERE"]
            expect("messages of the browser", wrong, [])
    print("dark" if dark else "light", "looked at")
