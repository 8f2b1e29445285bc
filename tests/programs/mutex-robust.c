/* A robust mutex whose owner ended is usable if made consistent, else lost. */
//~ exit: 0
//~ stdout: repaired: EOWNERDEAD, then 0
//~ stdout: abandoned: EOWNERDEAD, then ENOTRECOVERABLE ENOTRECOVERABLE
//~ stdout: tried: EOWNERDEAD, consistent when healthy EINVAL
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t repaired, abandoned, tried;

static void *die_holding_all(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&repaired);
    pthread_mutex_lock(&abandoned);
    pthread_mutex_lock(&tried);
    return NULL;
}

static void make(pthread_mutex_t *m)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
}

int main(void)
{
    make(&repaired);
    make(&abandoned);
    make(&tried);
    pthread_t t;
    pthread_create(&t, NULL, die_holding_all, NULL);
    pthread_join(t, NULL);

    int first = pthread_mutex_lock(&repaired);
    pthread_mutex_consistent(&repaired);
    pthread_mutex_unlock(&repaired);
    int then = pthread_mutex_lock(&repaired);
    pthread_mutex_unlock(&repaired);
    printf("repaired: %s, then %d\n", strerrorname_np(first), then);

    first = pthread_mutex_lock(&abandoned);
    pthread_mutex_unlock(&abandoned);
    then = pthread_mutex_lock(&abandoned);
    int try = pthread_mutex_trylock(&abandoned);
    printf("abandoned: %s, then %s %s\n", strerrorname_np(first), strerrorname_np(then),
           strerrorname_np(try));

    try = pthread_mutex_trylock(&tried);
    pthread_mutex_consistent(&tried);
    int healthy = pthread_mutex_consistent(&tried);
    pthread_mutex_unlock(&tried);
    printf("tried: %s, consistent when healthy %s\n", strerrorname_np(try),
           strerrorname_np(healthy));
    return 0;
}
