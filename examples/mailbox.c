/* SPDX-License-Identifier: Apache-2.0
 *
 * mailbox: one thread waits for a letter, the other brings it. A lost wake-up: whether there is
 * a letter already is looked at before the lock is taken, so the bell can ring in between. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static atomic_int letters;

static void *reader(void *unused)
{
    (void)unused;
    if (atomic_load(&letters) == 0) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&bell, &lock);
        pthread_mutex_unlock(&lock);
    }
    printf("%d letter\n", atomic_load(&letters));
    return NULL;
}

static void *postman(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    atomic_store(&letters, 1);
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, postman, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
