// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
//
// Each has a result of its own; rand and strerror are safe in glibc.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int hour(time_t when)
{
    struct tm t;
    localtime_r(&when, &t);
    printf("%s %d\n", strerror(2), rand() >= 0);
    return t.tm_hour;
}

static void *one(void *arg)
{
    return hour(0) < 24 ? arg : NULL;
}

static void *two(void *arg)
{
    return hour(3600) < 24 ? arg : NULL;
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
