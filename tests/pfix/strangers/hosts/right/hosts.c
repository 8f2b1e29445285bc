// SPDX-License-Identifier: Apache-2.0
#include "hosts.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t hosts_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct host *hosts;

struct host *host_get(struct host *h)
{
    h->refs++;
    return h;
}

static void host_put_locked(struct host *h)
{
    if (--h->refs > 0)
        return;
    h->port = 0;
    free(h);
}

void host_put(struct host *h)
{
    pthread_mutex_lock(&hosts_mutex);
    host_put_locked(h);
    pthread_mutex_unlock(&hosts_mutex);
}

void hosts_add(int id, int port)
{
    struct host *h = calloc(1, sizeof *h);
    if (h == NULL)
        abort();
    h->id = id;
    h->port = port;
    pthread_mutex_lock(&hosts_mutex);
    h->next = hosts;
    hosts = host_get(h);
    pthread_mutex_unlock(&hosts_mutex);
}

struct host *hosts_find(int id)
{
    struct host *h;

    pthread_mutex_lock(&hosts_mutex);
    for (h = hosts; h != NULL; h = h->next)
        if (h->id == id) {
            host_get(h);
            break;
        }
    pthread_mutex_unlock(&hosts_mutex);
    return h;
}

void hosts_drop(int id)
{
    pthread_mutex_lock(&hosts_mutex);
    for (struct host **p = &hosts; *p != NULL; p = &(*p)->next) {
        struct host *h = *p;
        if (h->id != id)
            continue;
        *p = h->next;
        host_put_locked(h);
        break;
    }
    pthread_mutex_unlock(&hosts_mutex);
}
