# SPDX-License-Identifier: Apache-2.0
# One campaign, done in five ways: by one process after the other, by two at a time, by a shell that runs
# the printed commands backwards, with units killed at random, and with a stop in the middle. All say the same.
. "$HERE/programs.bash"
build_programs fail-assert cond-pingpong
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c" -pthread
plan() { "$HEDDLE" campaign new "$1" --policies fifo,random,pct:2 --runs 30 --tests ./fail-assert --tests ./cond-pingpong --tests "./bank 3"; }
plan one
"$HEDDLE" campaign run one --jobs 1 | tail -1
reports one >one.all
grep -c . one.all >/dev/null
"$HEDDLE" campaign report one | sed -n 's/.*\(confirmed\), harm: \(.*\)/\1 \2/p' | sort | uniq -c | tr -s ' '

echo "-- two at a time"
plan two >/dev/null
"$HEDDLE" campaign run two --jobs 2 | tail -1
reports two | cmp - one.all && echo the same

echo "-- any engine"
plan any >/dev/null
while :; do
    "$HEDDLE" campaign units any --missing | tac | sed "s,^heddle,$HEDDLE," | sh
    test -z "$("$HEDDLE" campaign units any --missing)"
    said=$("$HEDDLE" campaign merge any)
    test "$said" != "the campaign is over" || break
done
reports any | cmp - one.all && echo the same

echo "-- killed"
plan killed >/dev/null
kills=0
for ((try = 0; try < 60; try++)); do
    setsid "$HEDDLE" campaign run killed --jobs 2 >said 2>&1 &
    pid=$!
    sleep "0.$(printf %02d $((2 + try)))" # later and later: the first ones come in time on any machine
    if kill -9 -- -$pid 2>/dev/null; then kills=$((kills + 1)); fi
    wait $pid 2>/dev/null || true
    ! "$HEDDLE" campaign status killed | grep -q "is over" || break
done
test $kills -gt 0 && echo "killed some times"
"$HEDDLE" campaign run killed --jobs 2 | tail -1
reports killed | cmp - one.all && echo the same

echo "-- stopped"
plan stopped >/dev/null
"$HEDDLE" campaign run stopped --jobs 1 >said 2>&1 &
pid=$!
while ! ls stopped/results/0/* >/dev/null 2>&1; do sleep 0.05; done
"$HEDDLE" campaign stop stopped
wait $pid && echo "did not notice" || echo "exit $?"
"$HEDDLE" campaign unit stopped 8 2>&1 || echo "exit $?"
"$HEDDLE" campaign resume stopped | tail -1
reports stopped | cmp - one.all && echo the same

echo "-- nothing is left behind"
find . -name '*.heddle' | sort
ls "$TMPDIR" | grep heddle-unit || echo nothing
