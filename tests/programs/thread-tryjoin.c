/* tryjoin and timedjoin refuse a running thread and fetch the result of an ended one. */
//~ exit: 0
//~ stdout: running: tryjoin EBUSY timedjoin ETIMEDOUT clockjoin ETIMEDOUT
//~ stdout: ended: tryjoin 0 result 7, timedjoin 0 result 8
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static sem_t go;

static void *wait_and_return(void *arg)
{
    sem_wait(&go);
    return arg;
}

static struct timespec in_ms(clockid_t clock, int ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&go, 0, 0);
    pthread_create(&a, NULL, wait_and_return, (void *)7);
    pthread_create(&b, NULL, wait_and_return, (void *)8);

    int busy = pthread_tryjoin_np(a, NULL);
    struct timespec end = in_ms(CLOCK_REALTIME, 3);
    int timed = pthread_timedjoin_np(a, NULL, &end);
    end = in_ms(CLOCK_MONOTONIC, 3);
    int clocked = pthread_clockjoin_np(b, NULL, CLOCK_MONOTONIC, &end);
    printf("running: tryjoin %s timedjoin %s clockjoin %s\n", strerrorname_np(busy),
           strerrorname_np(timed), strerrorname_np(clocked));

    sem_post(&go);
    sem_post(&go);
    void *first, *second;
    while ((busy = pthread_tryjoin_np(a, &first)) == EBUSY)
        sched_yield();
    do {
        end = in_ms(CLOCK_REALTIME, 900);
        timed = pthread_timedjoin_np(b, &second, &end);
    } while (timed == ETIMEDOUT);
    printf("ended: tryjoin %d result %d, timedjoin %d result %d\n", busy, (int)(intptr_t)first,
           timed, (int)(intptr_t)second);
    return 0;
}
