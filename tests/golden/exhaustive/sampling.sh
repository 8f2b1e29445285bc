# SPDX-License-Identifier: Apache-2.0
# Every sampling policy comes across the failures of small programs within a few runs, and what it
# found can be repeated exactly: which waiter was woken and which wait timed out included.
cat > targets <<END
# every access to x, and the locks
lost.c:8
locks.c:10
locks.c:22:5 main
END
try() { # PROGRAM RUNS POLICY...: what it came across
    p=$1 runs=$2
    shift 2
    "$HEDDLE" run --policy "$@" --seed 1 --runs $runs -- ./$p > table || [ $? = 1 ]
    for run in $(sed -n 's/.*heddle replay //p' table); do
        "$HEDDLE" replay -q $run 2>&1 | grep diverged || true
    done
    echo $p $*: $(sed -e 1d -e 's/  .*//' table)
}
for p in lost locks condition waiters timed; do
    "$HEDDLE" cc -g -O1 "$HERE/$p.c" -o $p -lpthread
done
for policy in random pct:3 pos "targeted --targets targets"; do
    try lost 40 $policy
    try locks 25 $policy
done
try condition 12 pos
try waiters 40 pos
try timed 40 pos

echo "== a wait without a loop fails only if it returns unasked"
cp "$HERE/unasked.c" .
"$HEDDLE" cc -g -O1 unasked.c -o unasked -lpthread
for more in "" --spurious; do
    "$HEDDLE" run --policy pos $more --seed 1 --runs 60 -- ./unasked > table || [ $? = 1 ]
    sed -e 1d -e 's/  .*//' table
    for run in $(sed -n 's/.*heddle replay //p' table); do
        "$HEDDLE" replay -q $run 2>&1 | grep 'diverged\|wake-ups' || true
    done
done

echo "== errors"
"$HEDDLE" run --policy targeted -- ./lost || echo "exit $?"
echo lost.c > targets
"$HEDDLE" run --policy targeted --targets targets -- ./lost || echo "exit $?"
"$HEDDLE" run --policy guided -- ./lost || echo "exit $?"
