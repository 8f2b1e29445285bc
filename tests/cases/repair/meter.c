// SPDX-License-Identifier: Apache-2.0
// Two bugs behind one failure: no single change mends it. The meter has a lock, which nobody
// takes.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct meter {
    long bytes;
    pthread_mutex_t lock;
};
struct door {
    int visits;
};
static struct meter in = {0, PTHREAD_MUTEX_INITIALIZER};
static struct door front;

static void took(struct meter *m, long n)
{
    long now = m->bytes;
    m->bytes = now + n;
}

static void visit(struct door *d)
{
    d->visits++;
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        took(&in, 5);
    }
    return arg;
}

static void *guest(void *arg)
{
    for (int i = 0; i < 3; i++)
        visit(&front);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? work : guest, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    if (in.bytes != 30 || front.visits != 6) {
        fprintf(stderr, "lost something\n");
        return 1;
    }
    return 0;
}
