// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Double-checked locking with a flag, by the compiler's builtins; the flag is read with
// acquire.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static int made, table[2];

static void make(void)
{
    pthread_mutex_lock(&making);
    if (!made) {
        for (int i = 0; i < 2; i++)
            __atomic_store_n(&table[i], i + 7, __ATOMIC_RELAXED);
        __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&making);
}

static void *look(void *unused)
{
    if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE))
        make();
    int last = __atomic_load_n(&table[1], __ATOMIC_RELAXED);
    assert(last == 8);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
