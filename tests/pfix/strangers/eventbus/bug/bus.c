// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { HANDLERS_MAX = 4 };

typedef void (*handler_fn)(void *data, int event);

struct handler {
    handler_fn fn;
    void *data;
};

struct bus {
    pthread_mutex_t lock;
    struct handler handlers[HANDLERS_MAX];
    int count;
};

static struct bus bus = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void bus_join(struct bus *b, handler_fn fn, void *data)
{
    pthread_mutex_lock(&b->lock);
    b->handlers[b->count++] = (struct handler){fn, data};
    pthread_mutex_unlock(&b->lock);
}

static void bus_leave(struct bus *b, void *data)
{
    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < b->count; i++) {
        if (b->handlers[i].data != data)
            continue;
        b->count--;
        memmove(&b->handlers[i], &b->handlers[i + 1],
                (size_t)(b->count - i) * sizeof b->handlers[i]);
        break;
    }
    pthread_mutex_unlock(&b->lock);
}

static void bus_publish(struct bus *b, int event)
{
    for (int i = 0; i < b->count; i++)
        b->handlers[i].fn(b->handlers[i].data, event);
}

static void add(void *data, int event)
{
    *(int *)data += event;
}

/* Hears one event and goes. */
static void add_once(void *data, int event)
{
    add(data, event);
    bus_leave(&bus, data);
}

static int first, second, third;

static void *leaver(void *arg)
{
    bus_leave(&bus, arg);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    bus_join(&bus, add, &first);
    bus_join(&bus, add, &second);
    bus_join(&bus, add_once, &third);
    pthread_create(&thread, NULL, leaver, &first);
    bus_publish(&bus, 1);
    pthread_join(thread, NULL);
    bus_publish(&bus, 10);
    if (second != 11 || third != 1 || first > 1) {
        fprintf(stderr, "%d %d %d\n", first, second, third);
        return 1;
    }
    return 0;
}
