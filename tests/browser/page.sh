# SPDX-License-Identifier: Apache-2.0
# The report page in Chromium; skipped where there is none.
mkdir bank.heddle
cp "$TOP/tests/golden/report/findings.json" bank.heddle
cp "$TOP/examples/bank.c" .
"$HEDDLE" report --all --html page.html >/dev/null || test $? = 1
# The same findings, a thousand times.
mkdir many
cd many
mkdir bank.heddle
cp ../bank.c .
python3 - <<'END'
import json
import os
told = json.load(open(os.environ["TOP"] + "/tests/golden/report/findings.json"))
one = next(f for f in told["findings"] if f["verdict"] == "confirmed")
patterns = ["race", "deadlock", "use-after-free"]
told["findings"] = [dict(one, pattern=patterns[n % 3], id=f"{patterns[n % 3]}-copy-{n}") for n in range(1000)]
json.dump(told, open("bank.heddle/findings.json", "w"))
END
"$HEDDLE" report --html ../many.html >/dev/null || test $? = 1
cd ..
PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/page.py" "$PWD/page.html" "$PWD/many.html"
# A page of `heddle fix`: the diff beside the schedule.
cp "$TOP/examples/tickets.c" .
"$HEDDLE" cc -g -pthread tickets.c -o tickets
"$HEDDLE" fix --in-place --html fix.html -- ./tickets >/dev/null || test $? = 1
PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/page.py" --fix "$PWD/fix.html"
