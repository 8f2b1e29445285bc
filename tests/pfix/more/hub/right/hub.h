// SPDX-License-Identifier: Apache-2.0
#ifndef HUB_H
#define HUB_H

#include <pthread.h>

enum topic { TOPIC_TICK, TOPIC_TRADE, TOPIC_COUNT };

typedef void (*sub_cb)(enum topic topic, long value, void *user);

struct sub {
    struct sub *next;
    sub_cb cb;
    void *user;
};

struct hub {
    pthread_mutex_t mtx;
    struct sub *subs[TOPIC_COUNT];
    unsigned published;
};

int hub_init(struct hub *hub);
void hub_fini(struct hub *hub);
struct sub *hub_subscribe(struct hub *hub, enum topic topic, sub_cb cb, void *user);
void hub_unsubscribe(struct hub *hub, enum topic topic, struct sub *sub);
int hub_publish(struct hub *hub, enum topic topic, long value);

#endif
