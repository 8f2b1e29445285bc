// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: hub.c
// Subscribers come and go; publishing walks through their list without the lock.
#include <stdio.h>
#include <stdlib.h>

#include "hub.h"

static struct hub hub;
static long seen_total;

static void on_tick(enum topic topic, long value, void *user)
{
    (void)topic;
    *(long *)user += value;
}

static void *feed(void *arg)
{
    long n = (long)arg;

    for (long i = 0; i < n; i++)
        hub_publish(&hub, TOPIC_TICK, 1);
    return NULL;
}

static void *visitor(void *arg)
{
    long mine = 0;
    struct sub *sub = hub_subscribe(&hub, TOPIC_TICK, on_tick, &mine);

    (void)arg;
    if (sub == NULL)
        return NULL;
    hub_unsubscribe(&hub, TOPIC_TICK, sub);
    return NULL;
}

int main(void)
{
    pthread_t f, v;

    if (hub_init(&hub) != 0)
        return 2;
    hub_subscribe(&hub, TOPIC_TICK, on_tick, &seen_total);
    pthread_create(&f, NULL, feed, (void *)3L);
    pthread_create(&v, NULL, visitor, NULL);
    pthread_join(f, NULL);
    pthread_join(v, NULL);
    hub_fini(&hub);
    printf("total %ld\n", seen_total);
    return seen_total == 3 ? 0 : 1;
}
