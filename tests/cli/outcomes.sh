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
echo "-- budget"
"$HEDDLE" cc -g -pthread -o fail-no-end "$TOP/tests/programs/fail-no-end.c"
"$HEDDLE" run --steps 5000 -- ./fail-no-end 2>&1 | sed -n 's/^heddle: //p'
