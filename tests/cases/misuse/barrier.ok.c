// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who comes last to the barrier may end it: nobody is blocked at it any more.
#include <pthread.h>

static pthread_barrier_t b;

static void *thread(void *arg)
{
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&b);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&b, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
