# SPDX-License-Identifier: Apache-2.0
# The report page in Chromium; skipped where there is none.
mkdir bank.heddle
cp "$TOP/tests/golden/report/findings.json" bank.heddle
cp "$TOP/examples/bank.c" .
"$HEDDLE" report --all --html page.html >/dev/null || test $? = 1
PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/page.py" "$PWD/page.html"
