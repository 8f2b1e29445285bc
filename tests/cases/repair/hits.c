// SPDX-License-Identifier: Apache-2.0
// Counters that are not guarded, and nobody looks at the result; one function is never called.
#include <pthread.h>
#include <stdio.h>

static long hits, misses;

static void note(int is_hit)
{
    if (is_hit)
        hits++;
    else
        misses++;
}

void stats_reset(void)
{
    hits = 0;
    misses = 0;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        note(i % 2 == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc > 1)
        stats_reset();
    (void)argv;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld hits, %ld misses\n", hits, misses);
    return 0;
}
