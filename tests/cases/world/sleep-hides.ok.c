// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A join stands between the writer and the reader, the sleep is for nothing.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int result;

static void *compute(void *arg)
{
    result = 10; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, compute, NULL);
    usleep(100000);
    pthread_join(t, NULL);
    printf("result %d\n", result); //~ here
    return 0;
}
