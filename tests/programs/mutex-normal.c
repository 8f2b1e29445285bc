/* Normal mutexes keep counters whole and say EBUSY while they are held. */
//~ exit: 0
//~ stdout: counter 4000 bytes 4000
//~ stdout: held: trylock EBUSY destroy EBUSY, free: trylock 0 destroy 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 1000 };

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t made;
static int counter;
static struct {
    unsigned char low, high;
} bytes; /* two halves of one number: torn unless the lock works */

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&fixed);
        counter++;
        pthread_mutex_unlock(&fixed);
        pthread_mutex_lock(&made);
        if (++bytes.low == 0)
            bytes.high++;
        pthread_mutex_unlock(&made);
    }
    return NULL;
}

static void *try(void *result)
{
    *(int *)result = pthread_mutex_trylock(&made);
    if (*(int *)result == 0)
        pthread_mutex_unlock(&made);
    return NULL;
}

static int try_elsewhere(void)
{
    pthread_t t;
    int result = -1;
    pthread_create(&t, NULL, try, &result);
    pthread_join(t, NULL);
    return result;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_mutex_init(&made, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("counter %d bytes %d\n", counter, bytes.high * 256 + bytes.low);

    pthread_mutex_lock(&made);
    int held = try_elsewhere();
    int busy = pthread_mutex_destroy(&made);
    pthread_mutex_unlock(&made);
    int released = try_elsewhere();
    printf("held: trylock %s destroy %s, ", strerrorname_np(held), strerrorname_np(busy));
    printf("free: trylock %d destroy %d\n", released, pthread_mutex_destroy(&made));
    return 0;
}
