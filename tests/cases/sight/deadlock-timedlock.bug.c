// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock
// Of two threads that lock in opposite orders one gives up after a second, and says so.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER, index_lock = PTHREAD_MUTEX_INITIALIZER;
static int blocks, entries;

static void *writer(void *arg)
{
    pthread_mutex_lock(&disk);
    blocks++;
    pthread_mutex_lock(&index_lock);
    entries++;
    pthread_mutex_unlock(&index_lock);
    pthread_mutex_unlock(&disk);
    return arg;
}

static void *compactor(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&index_lock);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (pthread_mutex_timedlock(&disk, &until) == 0)
            break;
        fputs("the disk is busy for too long\n", stderr);
        pthread_mutex_unlock(&index_lock);
    }
    blocks--;
    pthread_mutex_unlock(&disk);
    pthread_mutex_unlock(&index_lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, compactor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return blocks != 0;
}
