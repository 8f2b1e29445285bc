// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|use-after-free|double-free
// Three threads let one array grow until libc moves its pages instead of its bytes, and ask for
// more than there is once: it stays then. Nobody locks.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 2, FIRST = 100000 };

static volatile size_t too_much = SIZE_MAX / 4;
static char *array;
static size_t size = FIRST;

static void grow(void)
{
    char *larger = realloc(array, size * 2);
    if (!larger)
        exit(1);
    array = larger;
    size *= 2;
    array[size - 1] = 1;
    array[0]++;
    if (realloc(array, too_much))
        exit(2);
    array[0]++;
}

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        grow();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    array = calloc(1, FIRST);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int is_good = array[0] == 2 * THREADS * ROUNDS && array[2 * FIRST - 1] == 1;
    free(array);
    return !is_good;
}
