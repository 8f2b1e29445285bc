// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Accesses that the source wants left alone.
#include <heddle/annotate.h>
#include <pthread.h>

static int hits;

static void *count(void *unused)
{
    (void)unused;
    HEDDLE_IGNORE_BEGIN();
    hits++;
    HEDDLE_IGNORE_END();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
