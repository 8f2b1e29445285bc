// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Locks in frames: one for each round, two in blocks, one that is destroyed between.
#include <pthread.h>

static int total;

static void use(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
    total++;
    pthread_mutex_unlock(m);
}

static void *thread(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t m;
        pthread_mutex_init(&m, NULL);
        use(&m);
    }
    {
        pthread_mutex_t a;
        pthread_mutex_init(&a, NULL);
        use(&a);
    }
    {
        pthread_mutex_t b;
        pthread_mutex_init(&b, NULL);
        use(&b);
        pthread_mutex_destroy(&b);
        pthread_mutex_init(&b, NULL);
        use(&b);
        pthread_mutex_destroy(&b);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return total != 5;
}
