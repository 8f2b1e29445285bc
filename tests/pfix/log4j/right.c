// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As log4j.c, mended by hand: the event's lines are made and copied under the event's lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { APPENDERS = 4, LINES = 6, LINE_MAX_BYTES = 64, LOG_MAX_BYTES = 1024 };

struct throwable {
    const char *message;
    const char *frames[LINES - 1];
};

struct event {
    pthread_mutex_t lock;
    const struct throwable *throwable;
    char **lines; /* NULL: nobody has asked yet */
};

struct appender {
    pthread_mutex_t lock;
    const char *name;
    char log[LOG_MAX_BYTES];
    size_t length;
    struct event *event;
};

static const struct throwable thrown = {
    "error: no such record",
    {"at lookup(store.c:52)", "at load(store.c:80)", "at handle(request.c:19)",
     "at serve(server.c:33)", "at main(server.c:71)"},
};

static char *line_new(const char *prefix, const char *text)
{
    char *line = malloc(LINE_MAX_BYTES);
    if (!line)
        abort();
    snprintf(line, LINE_MAX_BYTES, "%s%s\n", prefix, text);
    return line;
}

static char **lines_copy(char **lines)
{
    char **copy = malloc(LINES * sizeof *copy);
    if (!copy)
        abort();
    for (int i = 0; i < LINES; i++)
        copy[i] = lines[i];
    return copy;
}

/* The caller frees the array; its lines belong to the event. */
static char **event_lines(struct event *e)
{
    pthread_mutex_lock(&e->lock);
    if (!e->lines) {
        e->lines = calloc(LINES, sizeof *e->lines);
        if (!e->lines)
            abort();
        e->lines[0] = line_new("", e->throwable->message);
        for (int i = 1; i < LINES; i++)
            e->lines[i] = line_new("    ", e->throwable->frames[i - 1]);
    }
    char **copy = lines_copy(e->lines);
    pthread_mutex_unlock(&e->lock);
    return copy;
}

static void appender_write(struct appender *a, const char *text)
{
    size_t length = strlen(text);
    if (a->length + length > sizeof a->log)
        return;
    memcpy(a->log + a->length, text, length);
    a->length += length;
}

static void appender_append(struct appender *a, struct event *e)
{
    pthread_mutex_lock(&a->lock);
    char **lines = event_lines(e);
    for (int i = 0; i < LINES; i++)
        appender_write(a, lines[i]);
    free(lines);
    pthread_mutex_unlock(&a->lock);
}

static void *appender_main(void *argument)
{
    struct appender *a = argument;
    appender_append(a, a->event);
    return NULL;
}

int main(void)
{
    static struct appender appenders[APPENDERS];
    static const char *names[APPENDERS] = {"console", "file", "mail", "network"};
    struct event event = {.lock = PTHREAD_MUTEX_INITIALIZER, .throwable = &thrown};
    pthread_t threads[APPENDERS];
    for (int i = 0; i < APPENDERS; i++) {
        appenders[i].name = names[i];
        appenders[i].event = &event;
        pthread_mutex_init(&appenders[i].lock, NULL);
        pthread_create(&threads[i], NULL, appender_main, &appenders[i]);
    }
    for (int i = 0; i < APPENDERS; i++)
        pthread_join(threads[i], NULL);

    for (int i = 0; i < APPENDERS; i++)
        printf("%s: %zu bytes\n", appenders[i].name, appenders[i].length);
    return 0;
}
