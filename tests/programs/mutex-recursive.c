/* A recursive mutex counts its owner's locks and is free after the last unlock. */
//~ exit: 0
//~ stdout: depth 3: lock EBUSY unlock EPERM
//~ stdout: depth 1: lock EBUSY unlock EPERM
//~ stdout: depth 0: lock 0 unlock 0
//~ stdout: one unlock too many EPERM, factorial 120
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m;
static pthread_mutex_t fixed = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct answers {
    int lock, unlock;
};

static void *stranger(void *arg)
{
    struct answers *a = arg;
    a->lock = pthread_mutex_trylock(&m);
    a->unlock = pthread_mutex_unlock(&m);
    return NULL;
}

static void ask_stranger(int depth)
{
    pthread_t t;
    struct answers a = {-1, -1};
    pthread_create(&t, NULL, stranger, &a);
    pthread_join(t, NULL);
    printf("depth %d: lock %s unlock %s\n", depth, strerrorname_np(a.lock),
           strerrorname_np(a.unlock));
}

static int factorial(int n)
{
    pthread_mutex_lock(&fixed);
    int product = n < 2 ? 1 : n * factorial(n - 1);
    pthread_mutex_unlock(&fixed);
    return product;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);

    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_trylock(&m);
    ask_stranger(3);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    ask_stranger(1);
    pthread_mutex_unlock(&m);
    ask_stranger(0);
    printf("one unlock too many %s, factorial %d\n", strerrorname_np(pthread_mutex_unlock(&m)),
           factorial(5));
    return pthread_mutex_destroy(&m);
}
