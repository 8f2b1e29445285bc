// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// What was computed for one generation is applied in another: a failure behind two conditions.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int generation = 1, applied;
static void *reloader(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    generation++;
    pthread_mutex_unlock(&m);
    return NULL;
}
static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    int g = generation;
    pthread_mutex_unlock(&m);
    int work = 0;
    for (int i = 0; i < 5; i++)
        work += i * g;
    pthread_mutex_lock(&m);
    if (generation - g > 0 && work > 0) { //~ A
        fprintf(stderr, "stale generation %d\n", g);
        abort();
    }
    applied = work;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reloader, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", applied);
    return 0;
}
