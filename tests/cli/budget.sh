# SPDX-License-Identifier: Apache-2.0
# One budget for the whole command: a program that is not looked into to the end in its time is reported as
# stopped early, with what was not done, in every format; one that is gets the same report with any.
cat > long.c << 'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag[64], n;
static void *work(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        flag[i % 64]++;
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
C
"$HEDDLE" cc -g -O1 -pthread long.c -o long

# The part for exploring cannot be enough for this.
check() {
    code=0
    "$HEDDLE" check --time 2 --explore 1000000 "$@" -- ./long > out 2> err || code=$?
    echo "exit $code"
    cat err
}
check
grep -c '^stopped early: the 2 s of time were spent (--time): not everything was looked at$' out
grep -o '^  exploring: [0-9]* of 1000000 runs with other schedules not done$' out | sed 's/: [0-9]* of/: N of/'
check --json
python3 -c '
import json
l = json.load(open("out"))
last = l["not_done"][-1]
print(l["stopped_early"], l["stopped_by"], l["budget_ms"], last["stage"], last["what"], 0 < last["left"] <= last["total"])'
check --sarif
grep -c 'stopped early: the 2 s of time were spent' out
check --junit --html page.html
grep -c '<error message="stopped early: the 2 s of time' out
grep -c 'stopped_by":"time"' page.html
"$HEDDLE" report --dir long.heddle | grep -c 'stopped early: the 2 s of time'

# Nothing wrong, and not everything looked at: 3 with --strict.
sed -i 's/flag\[i % 64\]++;//' long.c
"$HEDDLE" cc -g -O1 -pthread long.c -o long
check
grep 'no bug was found' out
check --strict

# A recorded run that is not given its time has not hung.
sed -i 's/i < 20000/i < 2000000000/' long.c
"$HEDDLE" cc -g -O1 -pthread long.c -o long
check --no-explore
grep -e 'stopped early' -e recording -e bug out

# What ends in its time does not know it.
"$HEDDLE" cc -g -O1 -pthread "$TOP/examples/counter.c" -o counter
"$HEDDLE" check -- ./counter > default || echo "exit $?"
rm -rf counter.heddle
"$HEDDLE" check --time 300 -- ./counter > more || echo "exit $?"
cmp default more

# A thread alone is not explored.
echo 'int main(void) { volatile int n = 0; for (int i = 0; i < 100000; i++) n++; return 0; }' > alone.c
"$HEDDLE" cc -g -O1 alone.c -o alone
"$HEDDLE" check --stats -- ./alone 2>&1 | grep -o 'exploring [0-9]* ms' | sed 's/ [0-9] ms/ 0 ms/'
