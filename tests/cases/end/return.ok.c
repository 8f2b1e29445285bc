// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Nobody waits for the thread, and whether it runs or not makes no difference.
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
    ready = 1;
    pthread_create(&t, NULL, work, NULL);
    return 0;
}
