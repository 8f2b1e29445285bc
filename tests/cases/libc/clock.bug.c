// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
//
// localtime has one result for all.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int hour(time_t when)
{
    struct tm *t = localtime(&when); //~ A
    return t->tm_hour;               //~ A
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
