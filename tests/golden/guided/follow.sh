# SPDX-License-Identifier: Apache-2.0
# Runs that follow witness files: to their end, as far as possible, and after edits.
for p in race deadlock waiters; do
    cp "$HERE/$p.c" .
    "$HEDDLE" cc -g -O1 $p.c -o $p -lpthread
done

head='heddle witness 1
pattern by-hand
program'

follow() { # WITNESS [-- PROGRAM]: what it says, and that the run can be repeated exactly
    echo "== $*"
    ("$HEDDLE" replay "$@" 2>&1 || echo "exit $?") | sed -e '/^T[0-9]* at /d' -e '/^  in /d' -e '/replay:/d'
    prog=$(awk '$1 == "program" {print $2}' "$1")
    last=$(ls -d $(basename "${3-$prog}").heddle/runs/last)
    for i in 1 2 3; do "$HEDDLE" replay -q "$last" 2>&1 | grep diverged || true; done
}

cat > race.witness <<END
$head ./race
thread T0 0 - -
thread T1 0.0 race.c:23:5 main
thread T2 0.1 race.c:24:5 main
run T0 1 race.c:24:5 main create pthread_create 2 T2
run T1 2 race.c:11:20 work read balance 1 balance
at T2 1 race.c:15:17 work write balance 5 balance
at T1 2 race.c:15:17 work write balance 5 balance
END
follow race.witness

# both in their sections of one lock: T2 cannot get there
sed -e 's/^at.*//' race.witness > never.witness
cat >> never.witness <<END
at T1 3 race.c:13:13 work write safe 3 safe
at T2 1 race.c:13:13 work write safe 3 safe
END
follow never.witness

# T2 reads before T1 has written anything, and writes last
sed -e '/^run T1/d' -e '/^at/d' race.witness > order.witness
cat >> order.witness <<END
event T2 1 race.c:11:20 work read balance 1 balance
event T1 3 race.c:15:17 work write balance 5 balance
event T2 1 race.c:15:17 work write balance 5 balance
END
follow order.witness

# the third iteration, and a fourth that does not exist
sed 's/^event T1 3/event T1 4/' order.witness > fourth.witness
follow fourth.witness

cat > deadlock.witness <<END
$head ./deadlock
thread T0 0 - -
thread T1 0.0 - -
thread T2 0.1 - -
run T0 1 deadlock.c:29:5 main create pthread_create 2 T2
at T1 1 deadlock.c:10:5 forth acquire pthread_mutex_lock 2 b
at T2 1 deadlock.c:19:5 back acquire pthread_mutex_lock 2 a
END
follow deadlock.witness

# the signal goes to the one that the witness lets go on first
cat > waiters.witness <<END
$head ./waiters
thread T0 0 - -
thread T1 0.0 - -
thread T2 0.1 - -
thread T3 0.2 - -
run T0 3 waiters.c:24:9 main create pthread_create 2 T3
run T1 1 waiters.c:13:5 waits wait-enter pthread_cond_wait 2 c
run T2 1 waiters.c:13:5 waits wait-enter pthread_cond_wait 2 c
run T3 1 waiters.c:13:5 waits wait-enter pthread_cond_wait 2 c
run T0 1 waiters.c:26:5 main signal pthread_cond_signal 4 c
run T3 1 waiters.c:15:5 waits release pthread_mutex_unlock 4 m
run T0 1 waiters.c:28:5 main broadcast pthread_cond_broadcast 6 c
run T2 1 waiters.c:15:5 waits release pthread_mutex_unlock 4 m
END
follow waiters.witness
"$HEDDLE" trace dump waiters.heddle/runs/last/schedule | grep woken

# the same witness for a program whose lines have moved, and one with a new statement
mkdir src
(echo '/* new */'; echo; cat race.c) > src/race.c
"$HEDDLE" cc -g -O1 src/race.c -o moved -lpthread
follow race.witness -- ./moved
sed 's/^    for (int i = 0; i < 3/    if (arg)\n        puts("never");\n&/' race.c > src/race.c
"$HEDDLE" cc -g -O1 src/race.c -o edited -lpthread
follow race.witness -- ./edited

echo "== heddle run --schedule"
"$HEDDLE" run --schedule race.witness -- ./race || echo "exit $?"

echo "== errors"
sed '/^program/d' race.witness > nameless.witness
"$HEDDLE" replay nameless.witness || echo "exit $?"
"$HEDDLE" replay race.witness -- ./nowhere || echo "exit $?"
echo 'heddle witness 9' > newer.witness
"$HEDDLE" replay newer.witness || echo "exit $?"
