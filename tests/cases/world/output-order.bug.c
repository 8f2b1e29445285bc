// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/none
// Who prints first is open, and that is fine; the race beside it harms nobody.
#include <pthread.h>
#include <stdio.h>

static long last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *greet(void *arg)
{
    pthread_mutex_lock(&lock);
    printf("hello from %ld\n", (long)arg);
    pthread_mutex_unlock(&lock);
    last = (long)arg; //~ here
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, greet, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return last < 0;
}
