/* Timed waits on each clock end with ETIMEDOUT, not early, with the mutex held. */
//~ exit: 0
//~ stdout: realtime ETIMEDOUT late enough yes, holds the mutex yes
//~ stdout: monotonic ETIMEDOUT late enough yes, holds the mutex yes
//~ stdout: clockwait ETIMEDOUT, past ETIMEDOUT, bad time EINVAL
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m;
static int flag; /* never set */

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    long long ns = t.tv_sec * 1000000000LL + t.tv_nsec + ms * 1000000LL;
    t.tv_sec = ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

static void wait_on(const char *name, clockid_t clock)
{
    pthread_cond_t c;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, clock);
    pthread_cond_init(&c, &attr);
    pthread_condattr_destroy(&attr);

    struct timespec end = in_ms(clock, 5);
    int rc = 0;
    pthread_mutex_lock(&m);
    while (!flag && rc == 0)
        rc = pthread_cond_timedwait(&c, &m, &end);
    struct timespec now = in_ms(clock, 0);
    int late =
        now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
    int held = pthread_mutex_unlock(&m) == 0; /* EPERM otherwise: it checks errors */
    printf("%s %s late enough %s, holds the mutex %s\n", name, strerrorname_np(rc),
           late ? "yes" : "no", held ? "yes" : "no");
    pthread_cond_destroy(&c);
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    wait_on("realtime", CLOCK_REALTIME);
    wait_on("monotonic", CLOCK_MONOTONIC);

    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec end = in_ms(CLOCK_MONOTONIC, 5), past = {1, 0}, bad = {1, 1000000000};
    int clocked = 0, late = 0;
    pthread_mutex_lock(&m);
    while (!flag && clocked == 0)
        clocked = pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &end);
    while (!flag && late == 0)
        late = pthread_cond_timedwait(&c, &m, &past);
    int invalid = pthread_cond_timedwait(&c, &m, &bad);
    pthread_mutex_unlock(&m);
    printf("clockwait %s, past %s, bad time %s\n", strerrorname_np(clocked),
           strerrorname_np(late), strerrorname_np(invalid));
    return 0;
}
