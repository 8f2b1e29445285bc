/* Asynchronous cancellation ends a thread in a loop that has no cancellation point. */
//~ exit: 0
//~ stdout: cancelled yes
//~ tsan: skip it supports deferred cancellation only
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int rounds;

static void *count(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        atomic_fetch_add(&rounds, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, count, NULL);
    while (atomic_load(&rounds) < 100)
        ;
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("cancelled %s\n", result == PTHREAD_CANCELED ? "yes" : "no");
    return 0;
}
