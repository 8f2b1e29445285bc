/* SPDX-License-Identifier: Apache-2.0
 *
 * teardown: main destroys the lock when the work is counted as done, but the last worker may
 * still have to take it. Use after destroy. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock;
static atomic_int done;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    atomic_store(&done, 1);
    pthread_mutex_lock(&lock);
    puts("last words");
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    while (!atomic_load(&done))
        continue;
    pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
