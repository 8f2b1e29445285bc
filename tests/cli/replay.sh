# SPDX-License-Identifier: Apache-2.0
# Replays of runs that ended in many ways, that were moved and packed, with another program; and in
# gdb.
cp "$TOP/tests/programs/fail-abba.c" "$TOP/tests/programs/fail-no-end.c" .
for p in fail-abba fail-no-end; do "$HEDDLE" cc -g -pthread -o $p $p.c; done
"$HEDDLE" run -- ./fail-abba >/dev/null 2>&1 || echo "exit $?"
again() { "$HEDDLE" replay "$@" 2>&1 | head -2; }
again fail-abba.heddle/runs/1 --times 5
again fail-abba.heddle/runs/1 --quiet --aslr
mv fail-abba.heddle moved
for f in moved/runs/1/*; do zstd -q --rm "$f" -o "$f.zst" && mv "$f.zst" "$f"; done
again moved/runs/1 -q
ls moved/runs/1
echo "-- stopped by budget and by time"
"$HEDDLE" run --steps 3000 -- ./fail-no-end >/dev/null 2>&1 || echo "exit $?"
again fail-no-end.heddle/runs/last --times 3 | head -1
"$HEDDLE" run --timeout 1 -- ./fail-no-end >/dev/null 2>&1 || echo "exit $?"
again fail-no-end.heddle/runs/last -q | head -1
echo "-- the checks of the user are remembered"
"$HEDDLE" run --oracle 'exit 1' -- ./fail-abba >/dev/null 2>&1 || echo "exit $?"
echo 'int main(void) { return 0; }' >good.c
"$HEDDLE" cc -o good good.c
"$HEDDLE" run --oracle 'exit 1' -- ./good || echo "exit $?"
"$HEDDLE" replay good.heddle/runs/1 || echo "exit $?"
echo "-- another program"
echo 'int main(void) { volatile int x = 3; return x; }' >good.c
"$HEDDLE" cc -o good good.c
"$HEDDLE" replay good.heddle/runs/1 || echo "exit $?"
echo "-- no such thing"
"$HEDDLE" replay nowhere || echo "exit $?"
"$HEDDLE" replay moved || echo "exit $?"
"$HEDDLE" replay moved/runs/1 --at 3 || echo "exit $?"
"$HEDDLE" replay moved/runs/1 --gdb --at 3000 || echo "exit $?"
echo "-- gdb"
"$HEDDLE" replay moved/runs/1 --gdb <<<bt >said 2>&1
grep -q 'before event' said || cat said
grep -o 'in a_then_b (arg=0x0) at fail-abba.c:[0-9]*' said | tail -1
"$HEDDLE" replay moved/runs/1 --gdb --at 12 <<<"p rt.trace.event_count" >said 2>&1
sed -n 's/.*\$1 = \([0-9]*\).*/\1/p' said
