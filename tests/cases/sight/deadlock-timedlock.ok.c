// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The thread that locks in the other order only tries, and goes back.
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
        if (pthread_mutex_trylock(&disk) == 0)
            break;
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
