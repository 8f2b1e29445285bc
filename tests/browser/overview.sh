# SPDX-License-Identifier: Apache-2.0
# The page of a run in Chromium, of 100,000 events; skipped where there is none.
cp "$HERE/overview.c" .
"$HEDDLE" cc -g -pthread -o busy overview.c
"$HEDDLE" run --policy random -- ./busy
"$HEDDLE" trace export busy.heddle/runs/last/trace --format html -o run.html
PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/overview.py" "$PWD/run.html"
