/* Answers that are easy to get wrong: to times that are none, clocks that cannot be waited by,
 * threads that still run, locks of one's own, names that are too long. */
//~ exit: 0
//~ stdout: posted: time EINVAL clock EINVAL value 1
//~ stdout: sleep by: none EINVAL, coarse EOPNOTSUPP, cpu of this thread EINVAL, boot 0
//~ stdout: tryjoin: itself EBUSY, detached EBUSY
//~ stdout: trylock of one's own: errorcheck EBUSY, robust EDEADLK, inheriting EDEADLK
//~ stdout: names: 252 ENAMETOOLONG, 300 EINVAL
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static sem_t end;

static const char *name(int error)
{
    return error ? strerrorname_np(error) : "0";
}

static void *wait_for_end(void *arg)
{
    sem_wait(&end);
    return arg;
}

static int try_own(int robust, int protocol)
{
    pthread_mutex_t m;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&a, robust);
    pthread_mutexattr_setprotocol(&a, protocol);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    int e = pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return e;
}

static int open_name(size_t len)
{
    char text[400] = "/";
    memset(text + 1, 'x', len);
    text[len + 1] = 0;
    return sem_open(text, O_CREAT, 0600, 1) == SEM_FAILED ? errno : 0;
}

int main(void)
{
    sem_t s;
    int value = 0;
    struct timespec none = {0, -1}, soon = {0, 1000};
    sem_init(&s, 0, 1);
    int by_time = sem_timedwait(&s, &none) ? errno : 0;
    int by_clock = sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &soon) ? errno : 0;
    sem_getvalue(&s, &value);
    printf("posted: time %s clock %s value %d\n", name(by_time), name(by_clock), value);

    int by_none = clock_nanosleep(99, 0, &soon, NULL);
    int by_coarse = clock_nanosleep(CLOCK_MONOTONIC_COARSE, 0, &soon, NULL);
    int by_cpu = clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &soon, NULL);
    int by_boot = clock_nanosleep(CLOCK_BOOTTIME, 0, &soon, NULL);
    printf("sleep by: none %s, coarse %s, cpu of this thread %s, boot %s\n", name(by_none),
           name(by_coarse), name(by_cpu), name(by_boot));

    pthread_t t;
    sem_init(&end, 0, 0);
    pthread_create(&t, NULL, wait_for_end, NULL);
    pthread_detach(t);
    int own = pthread_tryjoin_np(pthread_self(), NULL), detached = pthread_tryjoin_np(t, NULL);
    printf("tryjoin: itself %s, detached %s\n", name(own), name(detached));
    sem_post(&end);

    printf("trylock of one's own: errorcheck %s, robust %s, inheriting %s\n",
           name(try_own(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE)),
           name(try_own(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE)),
           name(try_own(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT)));
    printf("names: 252 %s, 300 %s\n", name(open_name(252)), name(open_name(300)));
}
