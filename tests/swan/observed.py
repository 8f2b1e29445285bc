# SPDX-License-Identifier: Apache-2.0
"""A check for programs that have none: the results of the right program are the right results.

The programs in tests/cases compute something and end with 0 whatever it is. Here the values of their
static numbers at the end, and those that they print, become a check: a run whose values no schedule
of the right program gives ends with 1."""
import re
import subprocess
from pathlib import Path

import explored

NUMBERS = re.compile(r"^static (?:volatile )?(int|long|unsigned|atomic_int)((?: \w+(?: = -?\w+)?,?)+);", re.M)
ARRAY = re.compile(r"^static int (\w+)\[(\d+)\]", re.M)
PRINTED = re.compile(r'(?:std::)?printf\("%d\\n", (.+)\);')
LAST_RETURN = re.compile(r"(?:    return 0;\n)?}\n*$")


def values(text):
    names = [name for m in NUMBERS.finditer(text) for name in re.findall(r"(\w+)(?: = -?\w+)?(?:,|$)", m[2])]
    for name, length in ARRAY.findall(text):
        names += [f"{name}[{i}]" for i in range(int(length))]
    return names


def with_stores(text):
    """What was printed goes to a number of its own instead."""
    count = 0

    def store(m):
        nonlocal count
        count += 1
        return f"__atomic_store_n(&printed_{count}, {m[1]}, __ATOMIC_RELAXED);"

    text = PRINTED.sub(store, text)
    return text, [f"printed_{i}" for i in range(1, count + 1)]


def insert(text, printed, check):
    """The check, before main; main's end calls it."""
    last = max(m.end() for m in re.finditer(r"^#include.*\n", text, re.M))
    declared = "".join(f"static int {name};\n" for name in printed)
    text = text[:last] + "#include <stdio.h>\n" + ("\n" + declared if declared else "") + text[last:]
    at = text.index("int main(")
    return LAST_RETURN.sub("    return check_results();\n}\n", text[:at] + check + "\n" + text[at:])


def printing(names):
    shown = "".join(f'    printf("%ld,", (long){name});\n' for name in names)
    return f'static int check_results(void)\n{{\n{shown}    puts("");\n    return 0;\n}}\n'


def comparing(names, rows):
    table = "".join(f"        {{{row.replace(',', ', ')}}},\n" for row in rows)
    got = ", ".join(f"(long){name}" for name in names)
    return f"""static int check_results(void)
{{
    enum {{ ANY = -1000000 }};
    static const long right[][{len(names)}] = {{
{table}    }};
    const long got[{len(names)}] = {{{got}}};
    for (unsigned i = 0; i < sizeof right / sizeof right[0]; i++) {{
        unsigned same = 0;
        while (same < {len(names)} && (right[i][same] == got[same] || right[i][same] == ANY))
            same++;
        if (same == {len(names)})
            return 0;
    }}
    return 1;
}}
"""


def results(text, suffix, work):
    """All results that the program can have, as rows of values. If there are too many schedules, one
    row of those values that were the same in all that were tried; the others are ANY. None: there
    are no values."""
    stored, printed = with_stores(text)
    names = values(text) + printed
    if not names:
        return None
    source, program = Path(work, "observed" + suffix), Path(work, "observed").resolve()
    source.write_text(insert(stored, printed, printing(names)))
    explored.build(source, program)
    seen = Path(work, "seen").resolve()
    for policy in ["exhaustive"], ["pos", "--runs", "300"]:
        seen.unlink(missing_ok=True)
        argv = [explored.HEDDLE, "run", "--oracle", f"cat >>{seen}", "--policy", *policy, "--", program]
        p = subprocess.run(["timeout", "20", *argv], capture_output=True, text=True, cwd=work)
        if p.returncode != 0:
            continue
        rows = sorted({line.rstrip(",\n") for line in seen.open() if re.fullmatch(r"(-?\d+,)+\n?", line)})
        if "complete: " in p.stdout:
            return rows
        columns = zip(*(row.split(",") for row in rows))
        return [",".join(c[0] if len(set(c)) == 1 else "ANY" for c in columns)]
    return None


def checked(text, rows):
    """The program with its check."""
    stored, printed = with_stores(text)
    return insert(stored, printed, comparing(values(text) + printed, rows))
