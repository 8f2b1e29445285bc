// SPDX-License-Identifier: Apache-2.0
// A model of DERBY-3308: a pooled connection tells its listeners what happens to its
// statements.
//
// Listeners come and go while statements are closed and fail in other threads. The list of
// listeners counts its changes, and somebody who walks through it notices that it has changed
// under his feet: in the original that is an exception, here a failed assertion.
//
// The insufficient fix: the walk is in a section too, but it begins before it: the iterator
// has been made outside.
//
// arguments: [THREADS], at most 3.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS_MAX = 3, LISTENERS_MAX = 4, ERRORS_MAX = 8 };

struct statement;

struct listener {
    void (*closed)(struct listener *self, struct statement *statement);
    void (*failed)(struct listener *self, struct statement *statement, int error);
    int seen_closed, seen_failed;
};

struct list {
    struct listener *item[LISTENERS_MAX];
    int size;
    int changes;
};

struct iterator {
    struct list *list;
    int at, end, changes;
};

struct pooled_connection {
    pthread_mutex_t lock;
    struct list listeners;
};

struct statement {
    struct pooled_connection *connection;
    int is_open, errors;
};

static struct pooled_connection connection = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_add(struct list *list, struct listener *item)
{
    assert(list->size < LISTENERS_MAX);
    list->item[list->size++] = item;
    list->changes++;
}

static void list_remove(struct list *list, const struct listener *item)
{
    int kept = 0;
    for (int i = 0; i < list->size; i++)
        if (list->item[i] != item)
            list->item[kept++] = list->item[i];
    list->size = kept;
    list->changes++;
}

static struct iterator list_begin(struct list *list)
{
    return (struct iterator){.list = list, .end = list->size, .changes = list->changes};
}

static struct listener *iterator_next(struct iterator *iterator)
{
    assert(iterator->changes == iterator->list->changes);
    return iterator->at < iterator->end ? iterator->list->item[iterator->at++] : NULL;
}

static void add_listener(struct pooled_connection *to, struct listener *listener)
{
    pthread_mutex_lock(&to->lock);
    list_add(&to->listeners, listener);
    pthread_mutex_unlock(&to->lock);
}

static void remove_listener(struct pooled_connection *from, struct listener *listener)
{
    pthread_mutex_lock(&from->lock);
    list_remove(&from->listeners, listener);
    pthread_mutex_unlock(&from->lock);
}

static void tell_closed(struct pooled_connection *from, struct statement *statement)
{
    struct iterator all = list_begin(&from->listeners);
    pthread_mutex_lock(&from->lock);
    for (struct listener *l = iterator_next(&all); l; l = iterator_next(&all))
        l->closed(l, statement);
    pthread_mutex_unlock(&from->lock);
}

static void tell_failed(struct pooled_connection *from, struct statement *statement, int error)
{
    struct iterator all = list_begin(&from->listeners);
    pthread_mutex_lock(&from->lock);
    for (struct listener *l = iterator_next(&all); l; l = iterator_next(&all))
        l->failed(l, statement, error);
    pthread_mutex_unlock(&from->lock);
}

static void note_closed(struct listener *self, struct statement *statement)
{
    self->seen_closed += !statement->is_open;
}

static void note_failed(struct listener *self, struct statement *statement, int error)
{
    self->seen_failed += error && statement->is_open;
}

static void statement_fail(struct statement *statement, int error)
{
    statement->errors++;
    tell_failed(statement->connection, statement, error);
}

static void statement_close(struct statement *statement)
{
    if (!statement->is_open)
        return;
    statement->is_open = 0;
    tell_closed(statement->connection, statement);
}

static void *observe(void *arg)
{
    struct listener *mine = arg;
    add_listener(&connection, mine);
    remove_listener(&connection, mine);
    return NULL;
}

static void *work(void *unused)
{
    (void)unused;
    struct statement statement = {.connection = &connection, .is_open = 1};
    statement_fail(&statement, 40001);
    statement_close(&statement);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : THREADS_MAX;
    if (count < 1 || count > THREADS_MAX)
        return 2;
    struct listener always = {.closed = note_closed, .failed = note_failed};
    struct listener guest = always;
    add_listener(&connection, &always);
    pthread_t thread[THREADS_MAX];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, i == 1 ? observe : work, &guest);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    int workers = count > 1 ? count - 1 : count;
    assert(connection.listeners.size == 1);
    assert(always.seen_closed == workers && always.seen_failed == workers);
    return 0;
}
