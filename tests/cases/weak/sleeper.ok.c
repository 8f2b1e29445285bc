// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Who has work looks whether somebody sleeps before he takes the mutex; a fence on both
// sides makes that safe.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static atomic_int work, sleeps;

static void *sleeper(void *unused)
{
    pthread_mutex_lock(&mutex);
    atomic_store_explicit(&sleeps, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (!atomic_load_explicit(&work, memory_order_relaxed))
        pthread_cond_wait(&wake, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *waker(void *unused)
{
    atomic_store_explicit(&work, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&sleeps, memory_order_relaxed)) {
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&wake);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, sleeper, NULL);
    pthread_create(&t[1], NULL, waker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
