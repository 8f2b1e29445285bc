/* SPDX-License-Identifier: Apache-2.0
 *
 * writes: three threads that write a variable three times each: 9! / (3!)^3 = 1,680 schedules
 * that are not equivalent. */
#include <pthread.h>

static volatile long last;

static void *work(void *arg)
{
    for (long i = 0; i < 3; i++)
        last = (long)arg * 10 + i;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
