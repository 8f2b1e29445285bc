// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
//~ with: dispatcher.c
// One thread sends events, another one takes its listener out of the list. The list has a lock,
// but sending does not take it, and may call a listener that has just gone.
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
