/* A thread calls abort while others wait on a mutex and on a condition. */
//~ outcome: crash 6
//~ stdout: giving up
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int inside;

static void *wait_condition(void *arg)
{
    pthread_mutex_lock(&m);
    inside = 1;
    pthread_cond_broadcast(&c);
    for (;;)
        pthread_cond_wait(&c, &m);
    return arg;
}

static void *wait_mutex(void *arg)
{
    pthread_mutex_lock(&held);
    return arg;
}

static void *give_up(void *arg)
{
    pthread_mutex_lock(&m);
    while (!inside)
        pthread_cond_wait(&c, &m);
    puts("giving up");
    fflush(stdout);
    abort();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_mutex_lock(&held);
    pthread_create(&t[0], NULL, wait_condition, NULL);
    pthread_create(&t[1], NULL, wait_mutex, NULL);
    pthread_create(&t[2], NULL, give_up, NULL);
    pthread_join(t[2], NULL);
    return 0;
}
