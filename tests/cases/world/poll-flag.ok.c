// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A flag is polled with sleeps between; the text is stored before the flag.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int done;
static char text[8];

static void *writer(void *arg)
{
    usleep(1500);
    memcpy(text, "ready", 6);
    atomic_store(&done, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&done))
        usleep(1000);
    size_t length = strlen(text); //~ here
    pthread_join(t, NULL);
    printf("%zu letters\n", length);
    return 0;
}
