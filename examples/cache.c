/* SPDX-License-Identifier: Apache-2.0
 *
 * cache: two threads empty a cache, and both look whether somebody has done so already. A double
 * free: looking and freeing are two steps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(char *) cache;

static void *flush(void *unused)
{
    (void)unused;
    char *old = atomic_load(&cache);
    if (old) {
        free(old);
        atomic_store(&cache, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    atomic_store(&cache, malloc(64));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, flush, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("empty");
    return 0;
}
