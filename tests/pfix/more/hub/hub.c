// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "hub.h"

int hub_init(struct hub *hub)
{
    memset(hub, 0, sizeof(*hub));
    return pthread_mutex_init(&hub->mtx, NULL);
}

void hub_fini(struct hub *hub)
{
    for (int t = 0; t < TOPIC_COUNT; t++) {
        while (hub->subs[t] != NULL)
            hub_unsubscribe(hub, t, hub->subs[t]);
    }
    pthread_mutex_destroy(&hub->mtx);
}

struct sub *hub_subscribe(struct hub *hub, enum topic topic, sub_cb cb, void *user)
{
    struct sub *sub;

    sub = calloc(1, sizeof(*sub));
    if (sub == NULL)
        return NULL;
    sub->cb = cb;
    sub->user = user;

    pthread_mutex_lock(&hub->mtx);
    sub->next = hub->subs[topic];
    hub->subs[topic] = sub;
    pthread_mutex_unlock(&hub->mtx);
    return sub;
}

void hub_unsubscribe(struct hub *hub, enum topic topic, struct sub *sub)
{
    struct sub **pp;

    pthread_mutex_lock(&hub->mtx);
    for (pp = &hub->subs[topic]; *pp != NULL; pp = &(*pp)->next) {
        if (*pp == sub) {
            *pp = sub->next;
            break;
        }
    }
    pthread_mutex_unlock(&hub->mtx);
    free(sub);
}

/* Returns how many subscribers were told. */
int hub_publish(struct hub *hub, enum topic topic, long value)
{
    struct sub *sub;
    int n = 0;

    for (sub = hub->subs[topic]; sub != NULL; sub = sub->next) {
        sub->cb(topic, value, sub->user);
        n++;
    }
    return n;
}
