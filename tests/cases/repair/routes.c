/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of routes; the last answer is remembered under the lock for readers. */
#include <pthread.h>
#include <stdio.h>

#define ROUTES 4

struct routes {
    pthread_rwlock_t lock;
    int dest[ROUTES];
    int gateway[ROUTES];
    int count;
    /* last answer */
    int last_dest;
    int last_gateway;
    int asked;
};

static struct routes table = {.lock = PTHREAD_RWLOCK_INITIALIZER, .last_dest = -1};
static int bad;

static void route_add(struct routes *r, int dest, int gateway)
{
    pthread_rwlock_wrlock(&r->lock);
    if (r->count < ROUTES) {
        r->dest[r->count] = dest;
        r->gateway[r->count] = gateway;
        r->count++;
    }
    pthread_rwlock_unlock(&r->lock);
}

static int route_find(struct routes *r, int dest)
{
    int gateway = -1;

    pthread_rwlock_rdlock(&r->lock);
    r->asked++;
    if (r->last_dest == dest) {
        gateway = r->last_gateway;
        pthread_rwlock_unlock(&r->lock);
        return gateway;
    }
    for (int i = 0; i < r->count; i++) {
        if (r->dest[i] == dest) {
            gateway = r->gateway[i];
            r->last_dest = dest;
            r->last_gateway = gateway;
            break;
        }
    }
    pthread_rwlock_unlock(&r->lock);
    return gateway;
}

static void *lookup(void *arg)
{
    int dest = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        if (route_find(&table, dest) != dest * 10)
            bad = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int dests[2] = {1, 2};

    route_add(&table, 1, 10);
    route_add(&table, 2, 20);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, lookup, &dests[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("asked %d times\n", table.asked);
    return bad || table.asked != 4;
}
