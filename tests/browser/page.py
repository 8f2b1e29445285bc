# SPDX-License-Identifier: Apache-2.0
"""page.py PAGE MANY [PICTURES], page.py --fix PAGE [PICTURES]: the report page in a real browser: no
console errors, the keyboard walks the schedule, nothing is cut off on a phone, text stands out in light
and dark. With --fix it has one finding and a patch, which stands beside the schedule."""
import sys

from browser import Browser, is_installed

NOW = "return document.querySelector('tr.now .number')?.textContent"
OPEN = "return document.querySelector('section.open')?.id"
CONTRAST = """
const rgb = c => c.match(/[0-9.]+/g).slice(0, 3).map(Number);
const lum = c => rgb(c).map(v => v / 255).map(v => v <= .03928 ? v / 12.92
  : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const paper = lum(getComputedStyle(document.body).backgroundColor);
let worst = 99;
for (const e of document.querySelectorAll('h1, h2, p, th, td, .soft, .badge, pre.diff span')) {
  const ink = lum(getComputedStyle(e).color);
  worst = Math.min(worst, (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05));
}
return worst;"""
failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got!r}, expected {wanted!r}")


def check_keys(b):
    first = b.run(OPEN)
    b.press("Home")
    expect("first step", b.run(NOW), "1")
    b.press("j")
    b.press("ArrowDown")
    expect("two steps on", b.run(NOW), "3")
    b.press("k")
    expect("one back", b.run(NOW), "2")
    b.press("a")
    b.press("n")
    expect("another finding is open", b.run(OPEN) != first, True)
    b.press("p")
    expect("and the first again", b.run(OPEN), first)


def check_card(b):
    """The sentence is the title; the timeline is as wide as the table; each key step has its source."""
    expect("the title is a sentence", b.run("return document.querySelector('section.open .title').textContent"
                                            ".split(' ').length > 4"), True)
    expect("as wide as the table",
           b.run("const w = s => document.querySelector('section.open ' + s).getBoundingClientRect().width;"
                 "return Math.abs(w('.timeline svg') - w('table')) < 3"), True)
    expect("a panel for each key step",
           b.run("return document.querySelectorAll('section.open .panel').length"
                 " >= Math.min(4, document.querySelectorAll('section.open tr.key').length)"), True)
    b.run("document.querySelectorAll('section.open .timeline circle')[1]"
          ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    expect("a dot leads to its step", b.run(NOW), "2")


def check_many(page, pictures):
    """A thousand findings: a page at a time, searched, chosen by pattern, and reached by a link."""
    with Browser() as b:
        b.size(1100, 900)
        cards = "return document.querySelectorAll('section.finding').length"
        b.open(page)
        expect("cards at once", b.run(cards), 50)
        if pictures:
            b.picture(f"{pictures}/many.png")
        b.run("const s = document.getElementById('search'); s.value = 'copy-7 '.trim();"
              "s.dispatchEvent(new Event('input'))")
        expect("found by its words", b.run("return document.querySelectorAll('section.finding').length < 200"), True)
        expect("and nothing else", b.run("return [...document.querySelectorAll('section.finding')]"
                                         ".every(e => e.id.includes('copy-7'))"), True)
        b.run("const s = document.getElementById('search'); s.value = '';"
              "s.dispatchEvent(new Event('input')); document.activeElement.blur()")
        wanted = b.run("return JSON.parse(document.getElementById('data').textContent)"
                       ".findings.filter(f => f.shown)[70].id")
        b.run(f"location.hash = '{wanted}'")
        expect("a link leads to it", b.run(OPEN), wanted)
        b.run("document.querySelectorAll('.choices button')[1].click()")
        expect("one pattern alone", b.run("return new Set([...document.querySelectorAll('section.finding')]"
                                          ".map(e => e.id.split('-')[0])).size"), 1)
        if pictures:
            b.picture(f"{pictures}/chosen.png")
        for _ in range(60):
            b.press("n")
        expect("the keyboard goes beyond the first page", b.run(cards) > 50, True)
        expect("console", b.messages(), [])


BESIDE = """
const box = e => e.getBoundingClientRect();
const diff = box(document.querySelector('pre.diff')), steps = box(document.querySelector('table'));
return diff.left >= steps.right && diff.top < steps.bottom;"""


def check_patch(b):
    expect("lines are added", b.run("return document.querySelectorAll('pre.diff .add').length > 0"), True)
    expect("the diff is beside the schedule", b.run(BESIDE), True)
    b.press("Home")
    expect("first step", b.run(NOW), "1")
    b.press("j")
    expect("one step on", b.run(NOW), "2")


def check_page(page, dark, pictures, is_fix):
    with Browser(dark) as b:
        b.size(1100, 900)
        b.open(page)
        name = "dark" if dark else "light"
        expect("colours", b.run("return matchMedia('(prefers-color-scheme: dark)').matches"), dark)
        expect("contrast of at least 4.5 in " + name, b.run(CONTRAST) >= 4.5, True)
        if pictures:
            b.picture(f"{pictures}/{name}.png")
        check_patch(b) if is_fix else check_keys(b)
        if not is_fix:
            check_card(b)
        b.size(500, 900)
        expect("width on a phone",
               b.run("return document.documentElement.scrollWidth <= innerWidth"), True)
        if pictures:
            b.picture(f"{pictures}/{name}-phone.png")
        expect("console", b.messages(), [])


if not is_installed():
    sys.exit(77)
has_fix = sys.argv[1] == "--fix"
words = sys.argv[2 if has_fix else 1:]
pictures = words[-1] if len(words) > (1 if has_fix else 2) else None
for is_dark in (False, True):
    check_page(words[0], is_dark, pictures, has_fix)
if not has_fix:
    check_many(words[1], pictures)
print("\n".join(failures) if failures else "the page works")
sys.exit(bool(failures))
