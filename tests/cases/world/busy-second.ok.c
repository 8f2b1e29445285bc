// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads wait for the next seconds of time(), each for itself.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static long stored[2];

static void *wait_second(void *arg)
{
    time_t begin = time(NULL);
    while (time(NULL) < begin + 1)
        ;
    stored[(long)arg] = 1; //~ here
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, wait_second, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld\n", stored[0], stored[1]);
    return stored[0] != 1;
}
