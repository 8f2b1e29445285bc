// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
// Two string buffers, each with its lock, which every operation on it holds. Appending one to
// the other asks for its length and then for its characters, and lets go of its lock in
// between: if somebody else deletes them, there are fewer than it asks for.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock; /* recursive */
    char *value;
    int count, capacity;
};

static struct buffer *hello, *world;

static struct buffer *buffer_new(const char *text)
{
    struct buffer *b = calloc(1, sizeof *b);
    pthread_mutexattr_t kind;
    if (!b)
        abort();
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&b->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    b->count = (int)strlen(text);
    b->capacity = b->count;
    b->value = malloc((size_t)b->capacity);
    if (!b->value)
        abort();
    memcpy(b->value, text, (size_t)b->count);
    return b;
}

static void buffer_free(struct buffer *b)
{
    pthread_mutex_destroy(&b->lock);
    free(b->value);
    free(b);
}

static int buffer_length(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    int length = b->count;
    pthread_mutex_unlock(&b->lock);
    return length;
}

static void out_of_range(int index)
{
    fprintf(stderr, "string index out of range: %d\n", index);
    abort();
}

static void buffer_get_chars(struct buffer *b, int from, int to, char *into)
{
    pthread_mutex_lock(&b->lock);
    if (from < 0)
        out_of_range(from);
    if (to < 0 || to > b->count)
        out_of_range(to);
    if (from > to)
        out_of_range(to - from);
    memcpy(into, b->value + from, (size_t)(to - from));
    pthread_mutex_unlock(&b->lock);
}

/* The lock is held. */
static void buffer_expand(struct buffer *b, int capacity)
{
    int doubled = (b->capacity + 1) * 2;
    int wanted = doubled > capacity ? doubled : capacity;
    char *bigger = realloc(b->value, (size_t)wanted);
    if (!bigger)
        abort();
    b->value = bigger;
    b->capacity = wanted;
}

static void buffer_append(struct buffer *b, struct buffer *other)
{
    pthread_mutex_lock(&b->lock);
    int length = buffer_length(other);
    int count = b->count + length;
    if (count > b->capacity)
        buffer_expand(b, count);
    buffer_get_chars(other, 0, length, b->value + b->count);
    b->count = count;
    pthread_mutex_unlock(&b->lock);
}

static void buffer_delete(struct buffer *b, int from, int to)
{
    pthread_mutex_lock(&b->lock);
    if (from < 0)
        out_of_range(from);
    if (to > b->count)
        to = b->count;
    if (from > to)
        out_of_range(from);
    int length = to - from;
    if (length > 0) {
        memmove(b->value + from, b->value + to, (size_t)(b->count - to));
        b->count -= length;
    }
    pthread_mutex_unlock(&b->lock);
}

static void *append_main(void *unused)
{
    (void)unused;
    buffer_append(hello, world);
    return NULL;
}

static void *delete_main(void *unused)
{
    (void)unused;
    buffer_delete(world, 0, buffer_length(world));
    return NULL;
}

int main(void)
{
    pthread_t appender, deleter;
    hello = buffer_new("Hello");
    world = buffer_new("World");
    pthread_create(&appender, NULL, append_main, NULL);
    pthread_create(&deleter, NULL, delete_main, NULL);
    pthread_join(appender, NULL);
    pthread_join(deleter, NULL);
    printf("left in the second one: %d\n", buffer_length(world));
    buffer_free(hello);
    buffer_free(world);
    return 0;
}
