/* Two threads wait busily, yielding, for each other to go first. */
//~ outcome: livelock
//~ stdout: after you
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int went[2];

static void *polite(void *arg)
{
    int me = *(int *)arg;
    while (!atomic_load(&went[1 - me]))
        sched_yield();
    atomic_store(&went[me], 1);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = {0, 1};
    puts("after you");
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, polite, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("unreachable");
    return 0;
}
