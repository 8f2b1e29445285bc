// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|race
// Frames come and go at one place: a variable, an argument that is copied, an array of variable
// length, a completion with mutex and condition, one with a semaphore.
// Who adds to the last variable is not waited for.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

struct wide {
    long at[24];
};

struct completion {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_done;
};

static void *add(void *arg)
{
    long *at = arg;
    at[0] += at[1]; //~ here
    return NULL;
}

static void *complete(void *arg)
{
    struct completion *c = arg;
    pthread_mutex_lock(&c->lock);
    c->is_done = 1;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void *post(void *arg)
{
    sem_post(arg);
    return NULL;
}

static void with(void *(*what)(void *), void *arg, int waits)
{
    pthread_t t;
    pthread_create(&t, NULL, what, arg);
    if (waits)
        pthread_join(t, NULL);
    else
        pthread_detach(t);
}

__attribute__((noinline)) static long of_variable(long n)
{
    struct wide mine = {{n, 1}}; //~ here
    with(add, mine.at, n != 2);
    return mine.at[0]; //~ here
}

__attribute__((noinline)) static long of_copy(struct wide mine)
{
    with(add, mine.at, 1);
    return mine.at[0];
}

__attribute__((noinline)) static long of_array(int n)
{
    long mine[n];
    memset(mine, 0, sizeof mine);
    with(add, mine, 1);
    return mine[0];
}

__attribute__((noinline)) static void of_completion(void)
{
    struct completion c = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    with(complete, &c, 0);
    pthread_mutex_lock(&c.lock);
    while (!c.is_done)
        pthread_cond_wait(&c.changed, &c.lock);
    pthread_mutex_unlock(&c.lock);
}

__attribute__((noinline)) static void of_semaphore(void)
{
    sem_t s;
    sem_init(&s, 0, 0);
    with(post, &s, 0);
    sem_wait(&s);
}

int main(void)
{
    struct wide one = {{1, 2}};
    long sum = of_variable(1) + of_copy(one) + of_variable(2) + of_array(24) + of_copy(one);
    of_completion();
    of_semaphore();
    return sum < 0;
}
