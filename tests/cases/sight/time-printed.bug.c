// SPDX-License-Identifier: Apache-2.0
//~ check: race/output
// What is printed is how much was done, which depends on the race alone.
#include <pthread.h>
#include <stdio.h>

static int cached;
static volatile int work;

static void *fill(void *unused)
{
    cached = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, fill, 0);
    if (cached)
        for (int i = 0; i < 500; i++)
            work++;
    pthread_join(t, 0);
    printf("did %d\n", work);
    return 0;
}
