// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As linkedlist.c, mended by hand: an append finds the end and hangs the node in under the
// lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUILDERS = 2, EACH = 3 };

struct node {
    int value;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *header;
};

struct builder {
    struct list *list;
    int from, to;
};

static struct node *node_new(int value, struct node *next)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = value;
    n->next = next;
    return n;
}

static void list_init(struct list *l)
{
    pthread_mutex_init(&l->lock, NULL);
    l->header = node_new(-1, NULL);
}

/* Behind this node. */
static void list_insert(int value, struct node *place)
{
    place->next = node_new(value, place->next);
}

static struct node *list_last(struct list *l)
{
    struct node *n = l->header;
    while (n->next)
        n = n->next;
    return n;
}

static void list_append(struct list *l, int value)
{
    pthread_mutex_lock(&l->lock);
    list_insert(value, list_last(l));
    pthread_mutex_unlock(&l->lock);
}

static int list_size(const struct list *l)
{
    int size = 0;
    for (const struct node *n = l->header->next; n; n = n->next)
        size++;
    return size;
}

static void list_done(struct list *l)
{
    struct node *n = l->header;
    while (n) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
    pthread_mutex_destroy(&l->lock);
}

static void *build(void *argument)
{
    struct builder *b = argument;
    for (int i = b->from; i < b->to; i++)
        list_append(b->list, i);
    return NULL;
}

int main(void)
{
    struct list list;
    struct builder builders[BUILDERS];
    pthread_t threads[BUILDERS];
    list_init(&list);
    for (int i = 0; i < BUILDERS; i++) {
        builders[i] = (struct builder){&list, i * EACH, (i + 1) * EACH};
        pthread_create(&threads[i], NULL, build, &builders[i]);
    }
    for (int i = 0; i < BUILDERS; i++)
        pthread_join(threads[i], NULL);

    int size = list_size(&list);
    printf("%d in the list\n", size);
    list_done(&list);
    return size == BUILDERS * EACH ? 0 : 1;
}
