// SPDX-License-Identifier: Apache-2.0
//~ check: stopped
//~ interrupt: 2
// Much to predict, with a race; Ctrl-C comes in the middle, and the report says what was found
// so far.
#include <pthread.h>
#include <stdio.h>

static volatile int flags[64];
static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    for (int i = 0; i < 1000000; i++) {
        flags[i % 64]++; //~ here
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            rounds++;
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d rounds\n", rounds);
    return 0;
}
