// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A race that the source calls intended.
#include <heddle/annotate.h>
#include <pthread.h>

static int hits;

static void *count(void *unused)
{
    (void)unused;
    hits++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    HEDDLE_BENIGN(hits);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
