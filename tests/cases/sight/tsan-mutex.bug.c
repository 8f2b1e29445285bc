// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A spin lock that tells of itself by __tsan_mutex_*; a failed try is no guard.
//~ libs: -fsanitize=thread
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#if !__has_feature(thread_sanitizer)
#error the feature is not told
#endif

void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_post_lock(void *m, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags);

enum { IS_STATIC = 1 << 0, IS_TRY = 1 << 4, HAS_FAILED = 1 << 5 };

static atomic_int word;
static int total;

static int try_lock(void)
{
    __tsan_mutex_pre_lock(&word, IS_TRY);
    int got = atomic_exchange_explicit(&word, 1, memory_order_relaxed) == 0;
    __tsan_mutex_post_lock(&word, got ? IS_TRY : IS_TRY | HAS_FAILED, 0);
    return got;
}

static void unlock(void)
{
    __tsan_mutex_pre_unlock(&word, 0);
    atomic_store_explicit(&word, 0, memory_order_relaxed);
    __tsan_mutex_post_unlock(&word, 0);
}

static void *add(void *arg)
{
    int got = try_lock();
    total += 5; //~ here
    if (got)
        unlock();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    __tsan_mutex_create(&word, IS_STATIC);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return total > 10;
}
