// SPDX-License-Identifier: Apache-2.0
// A model of DERBY-3909, set in the buffers of a transaction log.
//
// Records get a number and are collected in the current buffer. A full buffer goes to the list
// of dirty ones, and the next is taken from the list of free ones. If none is free, the writer
// itself writes the oldest dirty one to the file. A transaction that commits does the same. In
// the file the records must stand by number: recovery relies on that.
//
// The right fix: a commit keeps the lock from getting the buffer to giving it back.
//
// arguments: [WRITERS], at most 10. Ends by a failed assertion if the file is not as it must
// be.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WRITERS_MAX = 10, BUFFERS = 3, RECORDS_MAX = 2, EACH = 2, FILE_MAX = 64 };

struct buffer {
    struct buffer *next;
    int record[RECORDS_MAX];
    int count;
};

struct list {
    pthread_mutex_t lock;
    struct buffer *first, *last;
    int length;
};

struct log {
    pthread_mutex_t lock;
    struct list free, dirty;
    struct buffer *current;
    int numbered;
};

// What has reached the disk.
struct file {
    pthread_mutex_t lock;
    int record[FILE_MAX];
    int count;
};

static struct buffer buffers[BUFFERS];
static struct log redo = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .free.lock = PTHREAD_MUTEX_INITIALIZER,
    .dirty.lock = PTHREAD_MUTEX_INITIALIZER,
};
static struct file file = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_append(struct list *list, struct buffer *buffer)
{
    pthread_mutex_lock(&list->lock);
    buffer->next = NULL;
    if (list->last)
        list->last->next = buffer;
    else
        list->first = buffer;
    list->last = buffer;
    list->length++;
    pthread_mutex_unlock(&list->lock);
}

// The first of the list, which must have one.
static struct buffer *list_take(struct list *list)
{
    pthread_mutex_lock(&list->lock);
    struct buffer *taken = list->first;
    assert(taken != NULL);
    list->first = taken->next;
    if (!list->first)
        list->last = NULL;
    list->length--;
    pthread_mutex_unlock(&list->lock);
    return taken;
}

static int list_length(struct list *list)
{
    pthread_mutex_lock(&list->lock);
    int length = list->length;
    pthread_mutex_unlock(&list->lock);
    return length;
}

static void file_write(struct file *to, struct buffer *buffer)
{
    pthread_mutex_lock(&to->lock);
    for (int i = 0; i < buffer->count; i++)
        to->record[to->count++] = buffer->record[i];
    buffer->count = 0;
    pthread_mutex_unlock(&to->lock);
}

// The current buffer is full: it becomes a dirty one, and another one takes its place.
static void log_switch(struct log *log)
{
    list_append(&log->dirty, log->current);
    if (list_length(&log->free) == 0) {
        struct buffer *oldest = list_take(&log->dirty);
        file_write(&file, oldest);
        list_append(&log->free, oldest);
    }
    log->current = list_take(&log->free);
}

static void log_append(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    if (log->current->count == RECORDS_MAX)
        log_switch(log);
    log->current->record[log->current->count++] = ++log->numbered;
    pthread_mutex_unlock(&log->lock);
}

// Writes the oldest dirty buffer, if there is one. The current one can wait.
static void log_commit(struct log *log)
{
    struct buffer *oldest = NULL;
    pthread_mutex_lock(&log->lock);
    if (list_length(&log->dirty) > 0)
        oldest = list_take(&log->dirty);
    if (oldest) {
        file_write(&file, oldest);
        list_append(&log->free, oldest);
    }
    pthread_mutex_unlock(&log->lock);
}

static void *transaction(void *unused)
{
    (void)unused;
    for (int i = 0; i < EACH; i++)
        log_append(&redo);
    log_commit(&redo);
    return NULL;
}

static void log_close(struct log *log)
{
    while (list_length(&log->dirty) > 0)
        file_write(&file, list_take(&log->dirty));
    file_write(&file, log->current);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : WRITERS_MAX;
    if (count < 1 || count > WRITERS_MAX)
        return 2;
    redo.current = &buffers[0];
    for (int i = 1; i < BUFFERS; i++)
        list_append(&redo.free, &buffers[i]);
    pthread_t thread[WRITERS_MAX];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, transaction, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    log_close(&redo);
    assert(file.count == count * EACH);
    for (int i = 0; i < file.count; i++)
        assert(file.record[i] == i + 1);
    return 0;
}
