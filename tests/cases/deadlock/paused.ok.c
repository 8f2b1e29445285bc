// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two orders, one after the other by a flag; accesses are not recorded: nobody sees the flag.
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    atomic_store(&done, 1);
    return arg;
}

static void *second(void *arg)
{
    while (!atomic_load(&done))
        ;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    HEDDLE_PAUSE();
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    puts("done");
    return 0;
}
