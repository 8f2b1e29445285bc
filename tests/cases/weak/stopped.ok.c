// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A stop flag is set without the mutex, with release; the result before it is read by
// who sees it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int result, stop;

static void *worker(void *unused)
{
    atomic_store_explicit(&result, 99, memory_order_relaxed);
    atomic_store_explicit(&stop, 1, memory_order_release);
    return unused;
}

static void *watcher(void *unused)
{
    pthread_mutex_lock(&mutex);
    int stopped = atomic_load_explicit(&stop, memory_order_acquire);
    pthread_mutex_unlock(&mutex);
    if (stopped) {
        int got = atomic_load_explicit(&result, memory_order_relaxed);
        assert(got == 99);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, watcher, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
