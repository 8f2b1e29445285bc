// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Only a sleep of a tenth of a second stands between the writer and the reader.
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
    printf("result %d\n", result); //~ here
    pthread_join(t, NULL);
    return 0;
}
