// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A B
// Check and act are functions of their own, and each of them takes the lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int used, size = 1;

static int has_room(void)
{
    pthread_mutex_lock(&m);
    int room = used < size; //~ A
    pthread_mutex_unlock(&m);
    return room;
}

static void take(void)
{
    pthread_mutex_lock(&m);
    used++; //~ B
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    if (has_room())
        take();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (used > size)
        abort();
    return 0;
}
