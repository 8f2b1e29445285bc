// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ max-seconds: 30
// Threads are started in batches of eight, counted under a lock, and joined.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int alive;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *visit(void *arg)
{
    pthread_mutex_lock(&lock);
    alive++; //~ here
    assert(alive < 40);
    alive--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    for (int round = 0; round < 4; round++) {
        pthread_t t[8];
        for (int i = 0; i < 8; i++)
            must(pthread_create(&t[i], NULL, visit, NULL) == 0);
        for (int i = 0; i < 8; i++)
            pthread_join(t[i], NULL);
    }
    puts("all gone");
    return 0;
}
