# SPDX-License-Identifier: Apache-2.0
# Children that fork without exec are recorded, predicted from, confirmed and replayed.
look() { # what a check came to, in short
    "$HEDDLE" check -- "./$1" >out 2>&1 && echo "exit code 0" || echo "exit code $?"
    tr '\n' ' ' <out | tr -s ' ' | grep -o "in the child process made at [^ ]* ([a-z]*)" | sort -u
    grep -E "^[a-z-]+-[0-9a-f]{8}|^no bug|^[0-9]+ findings? in" out | sed 's/-[0-9a-f]\{8\}//'
}
cp "$HERE"/forked/*.c .
"$HEDDLE" cc -g -O1 -pthread -o right harness.c
"$HEDDLE" cc -g -O1 -pthread -DBUG -o wrong harness.c

echo "-- a race in a child"
look wrong
witness=$(ls wrong.heddle/witnesses/race-*.witness | head -n 1)
grep ^process "$witness"
"$HEDDLE" replay "$witness" 2>&1 | grep -o "the witness was followed to its end"

echo "-- none"
look right

echo "-- each child has a run, and so has its parent"
"$HEDDLE" run -- ./right 2>&1 | sed "s,runs/[0-9]*/,runs/N/,"
for run in right.heddle/runs/last right.heddle/runs/last/child-1 right.heddle/runs/last/child-2; do
    "$HEDDLE" replay -q --times 3 $run && echo "the same"
done

echo "-- how children end, and what is not followed"
for p in daemon killed exec death stuck; do
    "$HEDDLE" cc -g -O1 -pthread -o $p $p.c
    echo "$p"
    "$HEDDLE" run -- ./$p 2>&1 >/dev/null | grep "^heddle" | sed "s/; replay.*//; s/, in .*//"
    "$HEDDLE" replay -q $p.heddle/runs/last >/dev/null 2>out || true
    grep diverged out || echo "replays"
done

echo "-- a child fails in some schedules, and nobody asks; or somebody does"
"$HEDDLE" cc -g -O1 -pthread -o sloppy sloppy.c
"$HEDDLE" cc -g -O1 -pthread -DHEARD -o heard sloppy.c
look sloppy
look heard
look death
