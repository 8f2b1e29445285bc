// SPDX-License-Identifier: Apache-2.0
//~ check: race
// localtime's result is one object for all threads.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void stamp(time_t when, char *to, size_t room)
{
    struct tm *t = localtime(&when);         //~ here
    strftime(to, room, "%Y-%m-%d %H:%M", t); //~ here
}

static void *writer(void *arg)
{
    char text[32];
    stamp(*(time_t *)arg, text, sizeof text);
    return NULL;
}

int main(void)
{
    time_t first = 1000000000, second = 1500000000;
    pthread_t a, b;
    pthread_create(&a, NULL, writer, &first);
    pthread_create(&b, NULL, writer, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
