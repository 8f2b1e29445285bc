// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A counter for statistics is annotated as benign, its neighbour is not.
#include <pthread.h>

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *object, long size,
                             const char *why) __attribute__((weak));

static struct {
    long hits, misses;
} stats;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        stats.hits++;
        stats.misses += i & 1; //~ here
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &stats, sizeof stats.hits,
                                "statistics need not be exact");
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
