/* C11 thrd_*: create, join, exit, equal, current, yield, sleep and detach. */
//~ exit: 0
//~ stdout: results 11 22 -3, same thread yes, slept 0
//~ stdout: detached thread done
//~ std: c11
//~ tsan: skip it does not know C11 threads
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static atomic_int done;
static thrd_t seen;

static int twice(void *arg)
{
    return 2 * *(int *)arg;
}

static int leave(void *arg)
{
    seen = thrd_current();
    thrd_exit(*(int *)arg);
}

static int detached(void *arg)
{
    (void)arg;
    atomic_store(&done, 1);
    return 0;
}

static int odd(void *arg)
{
    return *(int *)arg * 2 + 1;
}

int main(void)
{
    int five = 5, eleven = 11, minus_three = -3, a, b, c;
    thrd_t first, second, third, fourth;
    if (thrd_create(&first, odd, &five) != thrd_success)
        return 1;
    thrd_create(&second, twice, &eleven);
    thrd_create(&third, leave, &minus_three);
    thrd_join(first, &a);
    thrd_join(second, &b);
    thrd_join(third, &c);
    int slept = thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    printf("results %d %d %d, same thread %s, slept %d\n", a, b, c,
           thrd_equal(seen, third) && !thrd_equal(seen, thrd_current()) ? "yes" : "no", slept);

    thrd_create(&fourth, detached, NULL);
    thrd_detach(fourth);
    while (!atomic_load(&done))
        thrd_yield();
    puts("detached thread done");
    return 0;
}
