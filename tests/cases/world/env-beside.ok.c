// SPDX-License-Identifier: Apache-2.0
// A variable of the environment is set before there are others who look at it.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static int data, seen[2];

static void *get_it(void *arg)
{
    if (getenv("EDGE"))
        *(int *)arg = data;
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    data = 42;
    setenv("EDGE", "1", 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, get_it, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return seen[0] != 42 || seen[1] != 42;
}
