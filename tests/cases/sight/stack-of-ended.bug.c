// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free|order
// A thread hands out the address of its own variable, and may have ended when it is used.
#include <pthread.h>
#include <semaphore.h>

static int *answer;
static sem_t there, used;

static void *compute(void *arg)
{
    int mine[64] = {0};
    mine[7] = 42; //~ here
    answer = &mine[7];
    sem_post(&there);
    return arg; //~ here
}

int main(void)
{
    pthread_t t;
    sem_init(&there, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&t, NULL, compute, NULL);
    sem_wait(&there);
    *answer += 1; //~ here
    sem_post(&used);
    pthread_join(t, NULL);
    return 0;
}
