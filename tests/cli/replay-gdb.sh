# SPDX-License-Identifier: Apache-2.0
# gdb in a replay: it stops at the first key step of the finding that tells of the run, next-key and next-switch go on, reverse
# and the like go back, and breakpoints stay; a run that no finding tells of stops at its end. In a terminal, as people have it.
set +e
command -v gdb >/dev/null || { echo "no gdb here"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
cp "$TOP/examples/tickets.c" .
"$HEDDLE" cc -g -pthread -o tickets tickets.c
"$HEDDLE" check --no-explore -- ./tickets >/dev/null 2>&1
run=$(ls -d tickets.heddle/confirm/*-1 | head -1)
echo "== on"
python3 "$HERE/replay-gdb.py" "$run" keys next-key next-switch 'next-switch 2' 'next-key 9' 'next-switch x' event
echo "== and back"
python3 "$HERE/replay-gdb.py" "$run" next-key next-key reverse reverse-key reverse-key 'break counter' 'event 30' reverse-switch 'info breakpoints'
echo "== of no finding"
"$HEDDLE" run --policy fifo -- ./tickets >/dev/null 2>&1
python3 "$HERE/replay-gdb.py" tickets.heddle/runs/last keys reverse-switch
ls tickets.heddle/runs/last/ "$run" | grep gdb
true
