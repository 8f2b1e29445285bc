# SPDX-License-Identifier: Apache-2.0
# Ctrl-C and its like end the target too, and what was recorded is kept.
cat >forever.c <<'E'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, stop;
static void *count(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&m);
        int now = stop;
        n++;
        pthread_mutex_unlock(&m);
        if (now)
            return arg;
    }
}
int main(void)
{
    pthread_t t;
    puts("started");
    fflush(stdout);
    pthread_create(&t, 0, count, 0);
    count(0);
    return pthread_join(t, 0);
}
E
"$HEDDLE" cc -O1 -pthread forever.c -o forever
for signal in INT TERM HUP; do
    code=0
    # in a group of its own, as a shell would start it: there Ctrl-C is not ignored
    timeout 20 python3 - $signal >said <<'E' || code=$?
import os, signal, subprocess, sys
number = getattr(signal, "SIG" + sys.argv[1])
signal.signal(number, signal.SIG_DFL)
p = subprocess.Popen([os.environ["HEDDLE"], "run", "--policy", "rr", "--", "./forever"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
print(p.stdout.readline(), end="")
child = int(open(f"/proc/{p.pid}/task/{p.pid}/children").read())
p.send_signal(number)
print(p.communicate()[1], end="")
assert not os.path.exists(f"/proc/{child}"), "the target is still there"
sys.exit(p.returncode)
E
    echo "$signal: exit $code"
    cat said
    "$HEDDLE" trace stat forever.heddle/runs/last/trace 2>/dev/null | sed -n '2s/.*; //p'
    "$HEDDLE" trace dump forever.heddle/runs/last/outcome | grep -o 'cut: .*' | head -1
    rm -r "forever.heddle/runs/$(readlink forever.heddle/runs/last)"
done
# What check has found until then is printed and kept.
cp "$TOP/examples/counter.c" .
"$HEDDLE" cc -g -pthread counter.c -o counter
"$HEDDLE" check --explore 100000000 --timeout 600 -- ./counter >found 2>/dev/null &
check=$!
until ls counter.heddle/confirm/atomicity-*/outcome counter.heddle/confirm/race-*-2/outcome >/dev/null 2>&1; do
    sleep 0.1
done
kill -INT $check
wait $check || echo "check: exit $?"
grep -c '^race.*confirmed' found
"$HEDDLE" list | cut -c 1-5
