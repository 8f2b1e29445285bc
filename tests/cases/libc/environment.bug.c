// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
//
// One thread changes the environment while another one looks into it.
#include <pthread.h>
#include <stdlib.h>

static void *one(void *arg)
{
    return getenv("LEVEL") ? arg : NULL; //~ A
}

static void *two(void *arg)
{
    setenv("LEVEL", "2", 1); //~ B
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
