// SPDX-License-Identifier: Apache-2.0
//~ expect: failure
// Nobody waits for the thread: it may run before the process ends, and fails then.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ready;

static void *work(void *arg)
{
    assert(ready == 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    exit(0);
}
