// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
//
// Two threads make their lines in one buffer.
#include <pthread.h>
#include <stdio.h>

static char line[64];

static void *one(void *arg)
{
    snprintf(line, sizeof line, "thread %d", 1); //~ A
    puts(line);                                  //~ A
    return arg;
}

static void *two(void *arg)
{
    snprintf(line, sizeof line, "thread %d", 2); //~ A
    puts(line);                                  //~ A
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
