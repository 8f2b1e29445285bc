// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
//
// Each thread makes its line in a buffer of its own; the stream has a lock.
#include <pthread.h>
#include <stdio.h>

static const char *name = "thread";

static void *one(void *arg)
{
    char line[64];
    snprintf(line, sizeof line, "%s %d", name, 1);
    puts(line);
    return arg;
}

static void *two(void *arg)
{
    char line[64];
    snprintf(line, sizeof line, "%s %d", name, 2);
    puts(line);
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
