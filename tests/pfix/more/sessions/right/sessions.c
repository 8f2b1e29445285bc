// SPDX-License-Identifier: Apache-2.0
#include "sessions.h"

#include <stdlib.h>

void sessions_init(struct sessions *s)
{
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&s->locks[i], NULL);
        s->buckets[i] = NULL;
    }
    pthread_mutex_init(&s->count_lock, NULL);
    s->count = 0;
}

int sessions_open(struct sessions *s, int number)
{
    int i = number % BUCKETS;
    struct session *added = malloc(sizeof *added);
    if (!added)
        return -1;
    added->number = number;
    pthread_mutex_lock(&s->locks[i]);
    added->next = s->buckets[i];
    s->buckets[i] = added;
    pthread_mutex_lock(&s->count_lock);
    s->count++;
    pthread_mutex_unlock(&s->count_lock);
    pthread_mutex_unlock(&s->locks[i]);
    return 0;
}

int sessions_close(struct sessions *s, int number)
{
    int i = number % BUCKETS;
    pthread_mutex_lock(&s->locks[i]);
    struct session **link = &s->buckets[i];
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    struct session *found = *link;
    if (!found) {
        pthread_mutex_unlock(&s->locks[i]);
        return -1;
    }
    *link = found->next;
    pthread_mutex_lock(&s->count_lock);
    s->count--;
    pthread_mutex_unlock(&s->count_lock);
    pthread_mutex_unlock(&s->locks[i]);
    free(found);
    return 0;
}
