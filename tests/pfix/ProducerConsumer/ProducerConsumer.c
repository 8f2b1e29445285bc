// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1, deadlock
// Three producers put eight items each into a buffer of five; four consumers take them out and
// add them up. Three things are wrong: each consumer adds to the total under its own lock; the
// first producer that is done tells everybody that no more will come; and nobody waits for the
// producers.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PRODUCERS = 3, CONSUMERS = 4, ITEMS = 8, TAKEN_MAX = 10, ROOM = 5 };

struct item {
    int data;
};

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct item *items[ROOM];
    int first, used;
    int halted;
};

struct consumer {
    pthread_mutex_t lock;
    struct buffer *buffer;
};

static struct buffer buffer = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};
static int total;

static struct item *item_new(int data)
{
    struct item *i = malloc(sizeof *i);
    if (!i)
        abort();
    i->data = data;
    return i;
}

static void buffer_put(struct buffer *b, struct item *item)
{
    pthread_mutex_lock(&b->lock);
    while (b->used == ROOM)
        pthread_cond_wait(&b->changed, &b->lock);
    b->items[(b->first + b->used) % ROOM] = item;
    if (b->used++ == 0)
        pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* NULL: nothing is there, and no more will come. */
static struct item *buffer_get(struct buffer *b)
{
    struct item *item = NULL;
    pthread_mutex_lock(&b->lock);
    while (b->used == 0 && !b->halted)
        pthread_cond_wait(&b->changed, &b->lock);
    if (b->used > 0) {
        item = b->items[b->first];
        b->items[b->first] = NULL;
        b->first = (b->first + 1) % ROOM;
        if (b->used-- == ROOM)
            pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return item;
}

static void buffer_halt(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->halted = 1;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void *producer_main(void *argument)
{
    struct buffer *b = argument;
    for (int i = 0; i < ITEMS; i++)
        buffer_put(b, item_new(1));
    buffer_halt(b);
    return NULL;
}

static void consumer_add(struct consumer *c, const struct item *item)
{
    pthread_mutex_lock(&c->lock);
    total += item->data;
    pthread_mutex_unlock(&c->lock);
}

static void *consumer_main(void *argument)
{
    struct consumer *c = argument;
    for (int i = 0; i < TAKEN_MAX; i++) {
        usleep(1000);
        struct item *item = buffer_get(c->buffer);
        if (!item)
            break;
        consumer_add(c, item);
        free(item);
    }
    return NULL;
}

int main(void)
{
    static struct consumer consumers[CONSUMERS];
    pthread_t producer_threads[PRODUCERS], consumer_threads[CONSUMERS];
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producer_threads[i], NULL, producer_main, &buffer);
    for (int i = 0; i < CONSUMERS; i++) {
        consumers[i].buffer = &buffer;
        pthread_mutex_init(&consumers[i].lock, NULL);
        pthread_create(&consumer_threads[i], NULL, consumer_main, &consumers[i]);
    }
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumer_threads[i], NULL);

    printf("total %d\n", total);
    return total == PRODUCERS * ITEMS ? 0 : 1;
}
