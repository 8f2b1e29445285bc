# A program that is not ours may start some that are: each is recorded as a run of its own.
cp "$TOP/examples/counter.c" "$TOP/examples/bank.c" .
"$HEDDLE" cc -g -pthread -o counter counter.c
"$HEDDLE" cc -g -pthread -o bank bank.c

echo "-- one after the other"
"$HEDDLE" run -- sh -c './counter && ./bank 3; exit 5' || echo "exit code $?"
ls sh.heddle/runs/1
for child in 1 2; do
    "$HEDDLE" replay "sh.heddle/runs/last/child-$child"
done
"$HEDDLE" predict sh.heddle/runs/1/child-1/trace | head -n 1

echo "-- side by side, from another directory"
mkdir there
"$HEDDLE" run -- sh -c 'cd there; ../bank 3 & ../counter & wait' >/dev/null 2>&1
ls sh.heddle/runs/2
"$HEDDLE" replay sh.heddle/runs/2/child-1 >/dev/null
"$HEDDLE" replay sh.heddle/runs/2/child-2 >/dev/null

echo "-- the build is known: another one is told"
"$HEDDLE" cc -O2 -g -pthread -o counter counter.c
"$HEDDLE" replay sh.heddle/runs/1/child-1 >/dev/null || echo "exit code $?"

echo "-- none of ours"
"$HEDDLE" run -- sh -c 'echo hi' || echo "exit code $?"
ls sh.heddle/runs
"$HEDDLE" clean --keep 0 sh.heddle >/dev/null
ls sh.heddle/runs
