# SPDX-License-Identifier: Apache-2.0
# Every bad end is explained: who waits for whom, since where, and where every thread is.
show() {
    cp "$TOP/tests/programs/$1.c" .
    "$HEDDLE" cc -g -pthread -D_GNU_SOURCE -o "$1" "$1.c"
    echo "-- $1"
    "$HEDDLE" run --timeout "${2:-60}" -- "./$1" </dev/null >/dev/null 2>said || echo "exit $?"
    sed '/^[^h].*Assertion/d; s/step [0-9]*/step N/; s/ [^ ]*\(fail-[a-z-]*\.c:[0-9]*\)/ \1/g' said
}
show fail-abba
show fail-rwlock-upgrade
show fail-self-lock
show fail-join-ring
show fail-lost-wakeup
show fail-barrier
show fail-spin-two
show fail-null
show fail-assert
cat >compute.c <<'END'
#include <pthread.h>
static void *compute(void *arg)
{
    __asm__ volatile("0: jmp 0b");
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, compute, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
echo "-- compute"
"$HEDDLE" cc -g -pthread -o compute compute.c
"$HEDDLE" run --timeout 1 -- ./compute 2>said || echo "exit $?"
sed 's/step [0-9]*/step N/' said
cat >outside.c <<'END'
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int ends[2];
static void *wait_signal(void *arg)
{
    sigset_t set;
    int got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &got);
    return arg;
}
static void *wait_input(void *arg)
{
    char c;
    read(ends[0], &c, 1);
    return arg;
}
static void *wait_either(void *arg)
{
    struct pollfd both[] = {{ends[0], POLLIN, 0}, {0, POLLIN, 0}};
    poll(both, 2, -1);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    pipe(ends);
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    pthread_create(&t[0], NULL, wait_signal, NULL);
    pthread_create(&t[1], NULL, wait_input, NULL);
    pthread_create(&t[2], NULL, wait_either, NULL);
    waitpid(child, NULL, 0);
}
END
echo "-- outside"
"$HEDDLE" cc -g -w -pthread -o outside outside.c
mkfifo never
"$HEDDLE" run --timeout 2 -- ./outside 2>said <>never || echo "exit $?"
sed -n '/^heddle/p; / waits at /p' said
echo "-- budget"
"$HEDDLE" cc -g -pthread -o fail-no-end "$TOP/tests/programs/fail-no-end.c"
"$HEDDLE" run --steps 5000 -- ./fail-no-end 2>&1 | sed -n 's/^heddle: //p'
