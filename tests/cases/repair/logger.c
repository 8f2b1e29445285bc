/* SPDX-License-Identifier: Apache-2.0
 *
 * The logger is freed, two calls below, before its thread has been joined. */
#include <pthread.h>
#include <stdlib.h>

struct logger {
    pthread_mutex_t lock;
    unsigned lines;
};

static void *writer(void *arg)
{
    struct logger *log = arg;
    pthread_mutex_lock(&log->lock);
    log->lines++;
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

static void logger_free(struct logger *log)
{
    pthread_mutex_destroy(&log->lock);
    free(log);
}

static void close_all(struct logger *log)
{
    logger_free(log);
}

int main(void)
{
    pthread_t thread;
    struct logger *log = calloc(1, sizeof *log);
    if (!log)
        return 1;
    pthread_mutex_init(&log->lock, NULL);
    pthread_create(&thread, NULL, writer, log);
    close_all(log);
    pthread_join(thread, NULL);
    return 0;
}
