// SPDX-License-Identifier: Apache-2.0
// A log with a thread of its own that takes lines from a buffer and counts what it wrote.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_LINES = 4, LINE_SIZE = 24 };

typedef struct log {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_t flusher;
    bool stop;
    int pending;
    int written;
    char *lines[LOG_LINES];
} log_t;

static atomic_int lines_on_disk;

static void *flusher_main(void *arg)
{
    log_t *log = arg;

    pthread_mutex_lock(&log->lock);
    while (!log->stop || log->pending > 0) {
        if (log->pending == 0) {
            pthread_cond_wait(&log->more, &log->lock);
            continue;
        }
        free(log->lines[--log->pending]);
        log->written++;
    }
    pthread_mutex_unlock(&log->lock);
    atomic_fetch_add(&lines_on_disk, log->written);
    return NULL;
}

static log_t *log_open(void)
{
    log_t *log = calloc(1, sizeof *log);

    if (log == NULL)
        abort();
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->more, NULL);
    pthread_create(&log->flusher, NULL, flusher_main, log);
    pthread_detach(log->flusher);
    return log;
}

static void log_line(log_t *log, const char *text, int number)
{
    char *line = malloc(LINE_SIZE);

    if (line == NULL)
        abort();
    snprintf(line, LINE_SIZE, "%s %d", text, number);
    pthread_mutex_lock(&log->lock);
    if (log->pending < LOG_LINES)
        log->lines[log->pending++] = line;
    else
        free(line);
    pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
}

static void log_close(log_t *log)
{
    pthread_mutex_lock(&log->lock);
    log->stop = true;
    pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->more);
    memset(log, 0, sizeof *log);
    free(log);
}

int main(void)
{
    log_t *log = log_open();

    log_line(log, "started", 1);
    log_line(log, "working", 2);
    log_line(log, "finished", 3);
    log_close(log);
    if (atomic_load(&lines_on_disk) != 3) {
        fprintf(stderr, "%d lines of 3\n", atomic_load(&lines_on_disk));
        return 1;
    }
    return 0;
}
