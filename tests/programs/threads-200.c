/* Two hundred threads are alive at the same time, and each does its part. */
//~ exit: 0
//~ stdout: threads 200, sum 19900, order of joins kept yes
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 200 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static int sum;

static void *add(void *arg)
{
    pthread_barrier_wait(&all_here);
    pthread_mutex_lock(&m);
    sum += (int)(intptr_t)arg;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    static pthread_t t[THREADS];
    int ordered = 1;
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, add, (void *)i) != 0)
            return 1;
    for (intptr_t i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(t[i], &result);
        ordered = ordered && result == (void *)i;
    }
    printf("threads %d, sum %d, order of joins kept %s\n", THREADS, sum,
           ordered ? "yes" : "no");
    return 0;
}
