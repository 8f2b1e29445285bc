# SPDX-License-Identifier: Apache-2.0
# Every program has as many classes of schedules, and the same outcomes, whether equivalent
# schedules are left out or all are run. One run of each outcome is repeated exactly.
table() { # POLICY PROGRAM: outcomes without counts, and the last line without runs
    "$HEDDLE" run --policy "$1" --runs 5000 -- ./$2 > table || [ $? = 1 ]
    sed -e 1d -e '/heddle replay/s/  *[0-9][0-9]*  *[0-9][0-9]*  heddle.*//' -e 's/ in [0-9]* runs//' table
}
for p in lost locks condition timed patient semaphore try waiters rwlock barrier once broadcast freed; do
    "$HEDDLE" cc -g -O1 "$HERE/$p.c" -o $p -lpthread
    echo "== $p"
    table exhaustive $p | tee reduced
    for run in $(sed -n 's/.*heddle replay //p' table); do
        "$HEDDLE" replay -q $run 2>&1 | grep diverged || true
    done
    table exhaustive:all $p > all
    diff reduced all
done
