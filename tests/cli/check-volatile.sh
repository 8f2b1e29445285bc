# SPDX-License-Identifier: Apache-2.0
# A flag that is volatile on both sides, or on one and atomic on the other: a race, called so,
# and left out on demand; one that is atomic on one side and plain on the other is an ordinary one.
# One that is kept in order by relaxed atomics alone has a line.
cat > flag.c <<'END'
#include <pthread.h>
static volatile int stop;
static volatile int mixed;
static int plain, half;
static void *work(void *unused)
{
    stop = 1;
    plain = 1;
    mixed = 1;
    half = 1;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int seen = stop;
    seen += plain;
    seen += __atomic_load_n(&mixed, __ATOMIC_RELAXED);
    seen += __atomic_load_n(&half, __ATOMIC_RELAXED);
    pthread_join(t, 0);
    return seen > 4;
}
END
cat > relaxed.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *work(void *unused)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        sched_yield();
    int seen = data;
    pthread_join(t, 0);
    return seen != 1;
}
END
"$HEDDLE" cc -g flag.c -o flag && "$HEDDLE" cc -g relaxed.c -o relaxed
for how in race ok; do
    echo "== $how"
    "$HEDDLE" check --volatile $how -- ./flag | grep -A1 'race on\|left out\|finding' | sed '/looked at/d'
done
echo "== relaxed"
"$HEDDLE" check -- ./relaxed | sed '/looked at/d'
