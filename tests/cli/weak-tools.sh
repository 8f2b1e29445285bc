# SPDX-License-Identifier: Apache-2.0
# Weak behaviour of atomics: found by default, told with what would forbid it, mended where it is
# written; a change is judged with it.
cp "$TOP/tests/cases/weak/message.bug.c" before.c
cp "$TOP/tests/cases/weak/message.ok.c" after.c
"$HEDDLE" cc -g -O1 before.c -o before -pthread
"$HEDDLE" cc -g -O1 after.c -o after -pthread
"$HEDDLE" check --json -- ./before >found || echo "exit $?"
python3 - <<'END'
import json
for f in json.load(open("found"))["findings"]:
    if f["shown"]:
        w = f["weak"][0]
        print(f["verdict"], f["harm"], f["x86"], w["memory_order"], w["reads_from"]["line"] < w["instead_of"]["line"])
        print(w["allowed"], "-", w["forbid"])
END
"$HEDDLE" check --weak=off -- ./before | head -1
"$HEDDLE" check -- ./after | head -1
"$HEDDLE" check --weak=sometimes -- ./before 2>&1 || echo "exit $?"
"$HEDDLE" check -- ./before >/dev/null || echo "exit $?"
run=$("$HEDDLE" check --json -- ./before | grep -o 'heddle replay [^"]*' | head -1 | cut -d' ' -f3)
for i in 1 2 3 4 5 6 7 8 9 10; do
    "$HEDDLE" replay "$run" >/dev/null 2>&1 || echo "$?"
done | uniq -c | tr -s ' '
id=$("$HEDDLE" check --json -- ./before | grep -o '"id":"failure-[0-9a-f]*' | head -1 | cut -d'"' -f4)
"$HEDDLE" fix "$id" | grep '^[-+] \|^  [0-9]* runs'
rm -r before.heddle
"$HEDDLE" fix --weak -- ./before | grep '^[-+] \|^  [0-9]* runs'
run=$("$HEDDLE" run --weak --policy random --runs 40 -- ./before | grep -o 'before.heddle/runs/[0-9]*' | head -1)
"$HEDDLE" fix "$run" | grep '^[-+] \|^  [0-9]* runs'
"$HEDDLE" causes --weak -- ./before 2>&1 || echo "exit $?"
"$HEDDLE" verify --weak --before ./before --after ./before | head -1
"$HEDDLE" verify --weak --before ./before --after ./after | head -1
