// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|uninitialised|misuse|deadlock|failure
// A barrier is initialised for the second phase while a thread may wait at it already.
#include <pthread.h>

static pthread_barrier_t first, second;
static int part[2];

static void *work(void *arg)
{
    int me = *(int *)arg;
    part[me] = me + 1;
    pthread_barrier_wait(&first);
    if (me == 0)
        pthread_barrier_init(&second, NULL, 2); //~ here
    pthread_barrier_wait(&second);              //~ here
    part[me] = 0;
    return NULL;
}

int main(void)
{
    int who[2] = {0, 1};
    pthread_t t[2];
    pthread_barrier_init(&first, NULL, 2);
    pthread_barrier_init(&second, NULL, 2);
    pthread_barrier_destroy(&second);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
