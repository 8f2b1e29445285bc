#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py [--check]: docs/corpus.md's tables from results.tsv (written by check) and judged.tsv (written by hand).

A finding is known by its pattern, harm and verdict and by the places in the source that it names; judged.tsv says of
each whether it is real, benign, wrong or still open, and the fact that orders the places or does not.
--check: only say whether the document is as it would be made, every finding looked up, and none wrong."""
import csv
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from packages import PACKAGES  # noqa: E402

HERE = Path(__file__).resolve().parent
RESULTS, JUDGED, PAGE = HERE / "results.tsv", HERE / "judged.tsv", HERE.parent.parent / "docs/corpus.md"
COLUMNS = ["package", "version", "test", "build s", "times clang", "run right", "replays exact", "check s", "memory MB",
           "exit code", "shown", "undecided", "commit"]
JUDGED_COLUMNS = ["package", "finding", "judged", "why"]
TESTS = "<!-- tests: tests/corpus/table.py -->\n", "<!-- end of tests -->\n"
FINDINGS = "<!-- findings: tests/corpus/table.py -->\n", "<!-- end of findings -->\n"


def test_name(run):
    """The program and its arguments; a test that is named twice, once as its own helper, is named once."""
    words = [Path(run.argv[0]).name, *run.argv[1:]]
    return " ".join(dict.fromkeys(words))


def is_checked(package, run):
    return package.checked is None or any(word in package.checked for word in [Path(run.argv[0]).name, *run.argv[1:]])


def place(site, top):
    path = site["file"].removeprefix(str(top)).lstrip("/")
    return f"{path or '?'}:{site['line']}"


def told(report, top):
    """What a report shows and how much it leaves open, or nothing if it is no report."""
    try:
        data = json.loads(report)
    except ValueError:
        return None
    shown = []
    for f in data["findings"]:
        if f["shown"]:
            places = sorted({place(s, top) for s in f["sites"]})
            shown.append(f"{f['pattern']}/{f['harm']}/{f['verdict']} {' '.join(places)}".strip())
    return sorted(shown), sum(a["unknown"] for a in data["accounts"])


def joined(shown):
    return "; ".join(shown) or "-"


def split(shown):
    return [] if shown == "-" else shown.split("; ")


def read(path, columns):
    if not path.exists():
        return []
    rows = list(csv.reader(path.open(), delimiter="\t", quoting=csv.QUOTE_NONE))
    if rows[0] != columns or any(len(row) != len(columns) for row in rows):
        sys.exit(f"{path.name}: not the columns {' '.join(columns)}")
    return rows[1:]


def judgements():
    return {(package, finding): (judged, why) for package, finding, judged, why in read(JUDGED, JUDGED_COLUMNS)}


def faults(rows):
    """What in these rows is not as it should be."""
    judged = judgements()
    for row in rows:
        cell = dict(zip(COLUMNS, row))
        if cell["run right"] != "yes":
            yield f"{cell['test']}: the recorded run is not right"
        if len(set(cell["replays exact"].split("/"))) != 1:
            yield f"{cell['test']}: {cell['replays exact']} replays exact"
        if cell["exit code"] not in ("0", "1"):
            yield f"{cell['test']}: check: exit code {cell['exit code']}"
        for finding in split(cell["shown"]):
            verdict = judged.get((cell["package"], finding), ("not judged", ""))[0]
            if verdict not in ("real", "benign"):
                yield f"{cell['test']}: {verdict}: {finding}"


def lines(head, rows):
    text = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |\n" for row in text)


def short(shown):
    """By pattern, harm and verdict, with how many of each."""
    kinds = [finding.split(" ")[0] for finding in split(shown)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)) or "-"


def finding_rows(rows):
    judged, tests = judgements(), {}
    for row in rows:
        cell = dict(zip(COLUMNS, row))
        for finding in split(cell["shown"]):
            tests.setdefault((cell["package"], finding), []).append(cell["test"])
    for (package, finding), names in tests.items():
        kind, *places = finding.split(" ")
        verdict, why = judged.get((package, finding), ("not judged", ""))
        seen = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        yield [package, kind, ", ".join(places) or "-", seen, verdict, why]


def between(text, marks, new):
    before, rest = text.split(marks[0])
    return before + marks[0] + new + marks[1] + rest.split(marks[1])[1]


def made(rows):
    at = COLUMNS.index("shown")
    tests = lines(COLUMNS, [[*row[:at], short(row[at]), *row[at + 1:]] for row in rows])
    head = ["package", "pattern/harm/verdict", "places", "test", "judged", "why"]
    return between(between(PAGE.read_text(), TESTS, tests), FINDINGS, lines(head, finding_rows(rows)))


def keep(new):
    """Rows of other tests stay as they are."""
    known = {(row[0], row[2]): row for row in [*read(RESULTS, COLUMNS), *new]}
    order = {(p.name, test_name(r)): i for i, (p, r) in enumerate((p, r) for p in PACKAGES for r in p.runs)}
    last = len(order)  # rows of servers have no build of their own
    rows = [row for key, row in known.items() if key in order or row[COLUMNS.index("build s")] == "-"]
    rows.sort(key=lambda row: (order.get((row[0], row[2]), last), row[0], row[2]))
    RESULTS.write_text("".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]))
    PAGE.write_text(made(rows))


def main():
    rows = read(RESULTS, COLUMNS)
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(made(rows))
        return
    found = [f"{row[0]} {row[3]}: {row[1]} {row[2]}" for row in finding_rows(rows) if row[4] in ("not judged", "wrong")]
    if made(rows) != PAGE.read_text():
        found.append("docs/corpus.md is not what tests/corpus/table.py makes")
    print("".join(line + "\n" for line in found), end="")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
