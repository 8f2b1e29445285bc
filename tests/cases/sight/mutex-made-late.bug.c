// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|uninitialised|misuse
// A mutex is initialised by main after the thread that locks it was created.
#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    int size;
} pool;

static void *use(void *arg)
{
    pthread_mutex_lock(&pool.lock); //~ here
    pool.size++;                    //~ here
    pthread_mutex_unlock(&pool.lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    pthread_mutex_init(&pool.lock, NULL); //~ here
    pthread_mutex_lock(&pool.lock);
    pool.size++; //~ here
    pthread_mutex_unlock(&pool.lock);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&pool.lock);
    return 0;
}
