// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: dispatcher.c
// Mended by hand: who sends holds the lock of the list.
#include "dispatcher.h"

#include <stdio.h>

enum { EVENTS = 2 };

static struct dispatcher dispatcher = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int heard[2];

static void hear(void *arg, int event)
{
    int *sum = arg;
    *sum += event;
}

static void *sender(void *unused)
{
    (void)unused;
    for (int i = 0; i < EVENTS; i++)
        dispatcher_send(&dispatcher, 1);
    return NULL;
}

static void *leaver(void *argument)
{
    dispatcher_remove(&dispatcher, argument);
    return NULL;
}

int main(void)
{
    pthread_t s, l;
    dispatcher_add(&dispatcher, hear, &heard[0]);
    struct listener *second = dispatcher_add(&dispatcher, hear, &heard[1]);
    pthread_create(&s, NULL, sender, NULL);
    pthread_create(&l, NULL, leaver, second);
    pthread_join(s, NULL);
    pthread_join(l, NULL);
    printf("heard %d\n", heard[0]);
    return heard[0] == EVENTS ? 0 : 1;
}
