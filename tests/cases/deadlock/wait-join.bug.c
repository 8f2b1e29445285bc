// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock A B C
// A thread is joined under a lock that is needed to tell it to go on.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&told, &m); //~ A
    pthread_mutex_unlock(&m);
    return unused;
}

static void *teller(void *unused)
{
    pthread_mutex_lock(&turn); //~ B
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&turn);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, teller, NULL);
    sched_yield();
    pthread_mutex_lock(&turn);
    pthread_join(a, NULL); //~ C
    pthread_mutex_unlock(&turn);
    pthread_join(b, NULL);
    return 0;
}
