// SPDX-License-Identifier: Apache-2.0
// A session is found under the lock, and its reference is counted when the lock has been given
// back; somebody may have dropped it by then.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
    int refs;
    int number;
};

struct table {
    pthread_mutex_t lock;
    struct session *slot;
};

static void session_put(struct table *t, struct session *s)
{
    pthread_mutex_lock(&t->lock);
    int left = --s->refs;
    pthread_mutex_unlock(&t->lock);
    if (left == 0)
        free(s);
}

static struct session *table_find(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    struct session *s = t->slot;
    pthread_mutex_unlock(&t->lock);
    if (s)
        s->refs++; /* for the caller */
    return s;
}

static void table_drop(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    struct session *s = t->slot;
    t->slot = NULL;
    pthread_mutex_unlock(&t->lock);
    if (s)
        session_put(t, s);
}

static struct table table = {PTHREAD_MUTEX_INITIALIZER, NULL};

static void *use(void *argument)
{
    (void)argument;
    struct session *s = table_find(&table);
    if (s) {
        printf("%d\n", s->number);
        session_put(&table, s);
    }
    return NULL;
}

static void *drop(void *argument)
{
    (void)argument;
    table_drop(&table);
    return NULL;
}

int main(void)
{
    pthread_t user, dropper;
    table.slot = malloc(sizeof *table.slot);
    if (!table.slot)
        return 2;
    *table.slot = (struct session){1, 7};
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&dropper, NULL, drop, NULL);
    pthread_join(user, NULL);
    pthread_join(dropper, NULL);
    return 0;
}
