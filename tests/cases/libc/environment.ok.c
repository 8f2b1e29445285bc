// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
//
// The environment is changed before there are threads.
#include <pthread.h>
#include <stdlib.h>

static void *one(void *arg)
{
    return getenv("LEVEL") ? arg : NULL;
}

static void *two(void *arg)
{
    return getenv("LEVEL") ? arg : NULL;
}

int main(void)
{
    pthread_t a, b;
    setenv("LEVEL", "2", 1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
