/* trywait, timedwait and clockwait of a semaphore that is empty, and one that is not. */
//~ exit: 0
//~ stdout: empty: EAGAIN ETIMEDOUT ETIMEDOUT ETIMEDOUT EINVAL
//~ stdout: posted: 0 0 0
//~ stdout: full: EOVERFLOW, too large: EINVAL
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static sem_t s;

static const char *result(int rc)
{
    return rc == 0 ? "0" : strerrorname_np(errno);
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

static void *post_three(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        sem_post(&s);
    return NULL;
}

int main(void)
{
    struct timespec past = {1, 0}, bad = {1, -1};
    struct timespec real = in_ms(CLOCK_REALTIME, 3), mono;
    sem_init(&s, 0, 0);
    printf("empty: %s", result(sem_trywait(&s)));
    printf(" %s", result(sem_timedwait(&s, &real)));
    mono = in_ms(CLOCK_MONOTONIC, 3);
    printf(" %s", result(sem_clockwait(&s, CLOCK_MONOTONIC, &mono)));
    printf(" %s", result(sem_timedwait(&s, &past)));
    printf(" %s\n", result(sem_timedwait(&s, &bad)));

    pthread_t t;
    pthread_create(&t, NULL, post_three, NULL);
    pthread_join(t, NULL);
    printf("posted: %s", result(sem_trywait(&s)));
    printf(" %s", result(sem_timedwait(&s, &past)));
    printf(" %s\n", result(sem_clockwait(&s, CLOCK_MONOTONIC, &past)));

    sem_t full;
    sem_init(&full, 0, INT_MAX);
    printf("full: %s", result(sem_post(&full)));
    printf(", too large: %s\n", result(sem_init(&full, 0, UINT_MAX)));
    return 0;
}
