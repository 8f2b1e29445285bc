// SPDX-License-Identifier: Apache-2.0
// A pool that keeps its lock on two ways out; who takes and gives it are functions of its own.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static int left = 1, is_closed;

static void pool_enter(void)
{
    pthread_mutex_lock(&pool_mutex);
}

static void pool_leave(void)
{
    pthread_mutex_unlock(&pool_mutex);
}

static int pool_get(void)
{
    pool_enter();
    if (is_closed)
        return 0;
    if (left == 0) {
        fprintf(stderr, "nothing is left\n");
        return 0;
    }
    left--;
    pool_leave();
    return 1;
}

static void pool_put(void)
{
    pool_enter();
    left++;
    pool_leave();
}

static void *work(void *arg)
{
    if (pool_get())
        pool_put();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pool_enter();
    is_closed = 1;
    pool_leave();
    return 0;
}
