// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|failure|assertion
//~ max-seconds: 30
// Threads are started without end and counted without a lock, until the assertion strikes.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int alive;

static void *visit(void *arg)
{
    alive++;            //~ here
    assert(alive < 40); //~ here
    return arg;
}

int main(void)
{
    for (;;) {
        pthread_t t[8];
        for (int i = 0; i < 8; i++)
            must(pthread_create(&t[i], NULL, visit, NULL) == 0);
        for (int i = 0; i < 8; i++)
            pthread_join(t[i], NULL);
    }
}
