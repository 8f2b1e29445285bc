// SPDX-License-Identifier: Apache-2.0
// A service is a thread that hands numbered events to a handler until the limit is reached.
#include <pthread.h>
#include <stdio.h>

typedef void (*event_handler)(void *context, int event);

struct service {
    pthread_t thread;
    const char *name;
    event_handler handler;
    void *context;
    int limit;
};

static void *service_main(void *arg)
{
    struct service *s = arg;

    for (int event = 1; event <= s->limit; event++)
        s->handler(s->context, event);
    return NULL;
}

static int service_start(struct service *s, const char *name, event_handler handler,
                         void *context, int limit)
{
    s->name = name;
    s->handler = handler;
    if (pthread_create(&s->thread, NULL, service_main, s) != 0)
        return -1;
    s->context = context;
    s->limit = limit;
    return 0;
}

static void service_stop(struct service *s)
{
    pthread_join(s->thread, NULL);
}

struct total {
    int events;
    int sum;
};

static void on_event(void *context, int event)
{
    struct total *t = context;
    t->events++;
    t->sum += event;
}

static void on_failure(void *context, int event)
{
    struct total *t = context;
    t->events++;
    t->sum -= event;
}

int main(void)
{
    static struct service services[2];
    struct total good = {0, 0}, bad = {0, 0};

    if (service_start(&services[0], "orders", on_event, &good, 3) != 0 ||
        service_start(&services[1], "refunds", on_failure, &bad, 2) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        service_stop(&services[i]);
    if (good.events != 3 || good.sum != 6 || bad.events != 2 || bad.sum != -3) {
        fprintf(stderr, "%s: %d events, %s: %d events\n", services[0].name, good.events,
                services[1].name, bad.events);
        return 1;
    }
    return 0;
}
