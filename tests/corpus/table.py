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
TSAN, TSAN_JUDGED = HERE / "tsan.tsv", HERE / "tsan-judged.tsv"
TSAN_COLUMNS = ["package", "test", "TSan s", "TSan MB", "run right", "reports"]
TSAN_JUDGED_COLUMNS = ["package", "report", "heddle", "why"]
PLANTED, PLANTED_JUDGED = HERE / "planted.tsv", HERE / "planted-judged.tsv"
PLANTED_COLUMNS = ["planted", "test", "check s", "check shows", "verify, half mended", "verify, original", "fix", "commit"]
PLANTED_JUDGED_COLUMNS = ["planted", "found", "fix"]
JUDGED_COLUMNS = ["package", "finding", "judged", "why"]
TESTS = "<!-- tests: tests/corpus/table.py -->\n", "<!-- end of tests -->\n"
REPORTS = "<!-- reports: tests/corpus/table.py -->\n", "<!-- end of reports -->\n"
PATCHES = "<!-- planted: tests/corpus/table.py -->\n", "<!-- end of planted -->\n"
FINDINGS = "<!-- findings: tests/corpus/table.py -->\n", "<!-- end of findings -->\n"


def test_name(run):
    """The program and its arguments; a test that is named twice, once as its own helper, is named once."""
    words = [Path(run.argv[0]).name, *run.argv[1:]]
    return " ".join(dict.fromkeys(words))


def is_checked(package, run):
    return package.checked is None or any(word in package.checked for word in [Path(run.argv[0]).name, *run.argv[1:]])


def place(site, top):
    path = site["file"].removeprefix(str(top)).removeprefix(str(HERE)).lstrip("/")
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


def report_lines():
    """TSan's reports of the same tests, and what Heddle says of each."""
    tests = [[*row[:5], str(len(split(row[5])))] for row in read(TSAN, TSAN_COLUMNS)]
    judged, rows = {(p, r): rest for p, r, *rest in read(TSAN_JUDGED, TSAN_JUDGED_COLUMNS)}, {}
    for package, _, _, _, _, reports in read(TSAN, TSAN_COLUMNS):
        for report in split(reports):
            rows[package, report] = [package, report, *judged.get((package, report), ("not judged", ""))]
    return lines(TSAN_COLUMNS, tests) + "\n" + lines(["package", "TSan reports", "Heddle", "why"], rows.values()), list(rows.values())


def planted_lines():
    """What becomes of the planted bugs, and what a reader says of the findings and the proposed patches."""
    rows, judged = read(PLANTED, PLANTED_COLUMNS), read(PLANTED_JUDGED, PLANTED_JUDGED_COLUMNS)
    bugs = [[row[0], " ".join((HERE / f"planted/{row[0]}.patch").read_text().split("\n--- ")[0].split("\n"))] for row in rows]
    return lines(["planted", "bug, and what is half mended"], bugs) + "\n" + lines(PLANTED_COLUMNS, rows) + "\n" + \
        lines(PLANTED_JUDGED_COLUMNS, judged)


def between(text, marks, new):
    before, rest = text.split(marks[0])
    return before + marks[0] + new + marks[1] + rest.split(marks[1])[1]


def made(rows):
    at = COLUMNS.index("shown")
    tests = lines(COLUMNS, [[*row[:at], short(row[at]), *row[at + 1:]] for row in rows])
    head = ["package", "pattern/harm/verdict", "places", "test", "judged", "why"]
    page = between(between(PAGE.read_text(), TESTS, tests), FINDINGS, lines(head, finding_rows(rows)))
    return between(between(page, REPORTS, report_lines()[0]), PATCHES, planted_lines())


def write(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows))


def places_in_table():
    """Of each test, by package and name."""
    return {(p.name, test_name(r)): i for i, (p, r) in enumerate((p, r) for p in PACKAGES for r in p.runs)}


def keep_tsan(new):
    """The same for what TSan reports."""
    known, order = {(row[0], row[1]): row for row in [*read(TSAN, TSAN_COLUMNS), *new]}, places_in_table()
    write(TSAN, [TSAN_COLUMNS, *sorted((row for key, row in known.items() if key in order), key=lambda row: order[row[0], row[1]])])
    PAGE.write_text(made(read(RESULTS, COLUMNS)))


def keep_planted(new):
    """The row of one planted bug."""
    known = {row[0]: row for row in [*read(PLANTED, PLANTED_COLUMNS), new]}
    write(PLANTED, [PLANTED_COLUMNS, *(known[name] for name in sorted(known))])
    PAGE.write_text(made(read(RESULTS, COLUMNS)))


def keep(new):
    """Rows of other tests stay as they are."""
    known, order = {(row[0], row[2]): row for row in [*read(RESULTS, COLUMNS), *new]}, places_in_table()
    last = len(order)  # rows of servers have no build of their own
    rows = [row for key, row in known.items() if key in order or row[COLUMNS.index("build s")] == "-"]
    rows.sort(key=lambda row: (order.get((row[0], row[2]), last), row[0], row[2]))
    write(RESULTS, [COLUMNS, *rows])
    PAGE.write_text(made(rows))


def main():
    rows = read(RESULTS, COLUMNS)
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(made(rows))
        return
    found = [f"{row[0]} {row[3]}: {row[1]} {row[2]}" for row in finding_rows(rows) if row[4] in ("not judged", "wrong")]
    found += [f"{row[0]}: not judged: TSan: {row[1]}" for row in report_lines()[1] if row[2] == "not judged"]
    if made(rows) != PAGE.read_text():
        found.append("docs/corpus.md is not what tests/corpus/table.py makes")
    print("".join(line + "\n" for line in found), end="")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
