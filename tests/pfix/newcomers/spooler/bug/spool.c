// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void spool_init(struct spool *s)
{
    memset(s, 0, sizeof *s);
    if (pthread_mutex_init(&s->mutex, NULL) != 0)
        abort();
    s->next_id = 1;
}

void spool_destroy(struct spool *s)
{
    while (s->head) {
        struct job *next = s->head->next;
        free(s->head);
        s->head = next;
    }
    pthread_mutex_destroy(&s->mutex);
}

void spool_lock(struct spool *s)
{
    if (pthread_mutex_lock(&s->mutex) != 0) {
        fprintf(stderr, "spool: cannot lock\n");
        abort();
    }
}

void spool_unlock(struct spool *s)
{
    if (pthread_mutex_unlock(&s->mutex) != 0) {
        fprintf(stderr, "spool: cannot unlock\n");
        abort();
    }
}

static struct job *job_new(int pages)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->pages = pages;
    j->state = JOB_QUEUED;
    return j;
}

static void append(struct spool *s, struct job *j)
{
    if (s->tail)
        s->tail->next = j;
    else
        s->head = j;
    s->tail = j;
    s->queued++;
}

static void prepend(struct spool *s, struct job *j)
{
    j->next = s->head;
    s->head = j;
    if (!s->tail)
        s->tail = j;
    s->queued++;
}

int spool_submit(struct spool *s, int pages, bool express)
{
    if (pages <= 0)
        return -1;

    struct job *j = job_new(pages);
    if (!j)
        return -1;

    if (express && s->queued == 0) {
        /* nobody to overtake */
        j->id = s->next_id++;
        s->head = s->tail = j;
        s->queued = 1;
        return j->id;
    }

    spool_lock(s);
    j->id = s->next_id++;
    if (express)
        prepend(s, j);
    else
        append(s, j);
    int id = j->id;
    spool_unlock(s);
    return id;
}

static struct job *take(struct spool *s)
{
    struct job *j = s->head;
    if (!j)
        return NULL;
    s->head = j->next;
    if (!s->head)
        s->tail = NULL;
    s->queued--;
    j->state = JOB_PRINTING;
    return j;
}

bool spool_print_one(struct spool *s)
{
    spool_lock(s);
    struct job *j = take(s);
    spool_unlock(s);
    if (!j)
        return false;

    int pages = j->pages;
    j->state = JOB_DONE;
    free(j);

    spool_lock(s);
    s->pages_printed += pages;
    spool_unlock(s);
    return true;
}
