// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Both barriers are initialised before there are threads.
#include <pthread.h>

static pthread_barrier_t first, second;
static int part[2];

static void *work(void *arg)
{
    int me = *(int *)arg;
    part[me] = me + 1;
    pthread_barrier_wait(&first);
    pthread_barrier_wait(&second); //~ here
    part[me] = 0;
    return NULL;
}

int main(void)
{
    int who[2] = {0, 1};
    pthread_t t[2];
    pthread_barrier_init(&first, NULL, 2);
    pthread_barrier_init(&second, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
