/* Timed locks give up at their deadline on either clock, and take a free mutex at any time. */
//~ exit: 0
//~ stdout: held: timedlock ETIMEDOUT past ETIMEDOUT clocklock ETIMEDOUT bad time EINVAL
//~ stdout: waited long enough: yes
//~ stdout: free: timedlock 0 past 0 clocklock 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    long long ns = t.tv_sec * 1000000000LL + t.tv_nsec + ms * 1000000LL;
    t.tv_sec = ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

static int before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void *while_held(void *arg)
{
    (void)arg;
    struct timespec real = in_ms(CLOCK_REALTIME, 5), past = {1, 0}, bad = {1, 1000000000};
    int timed = pthread_mutex_timedlock(&m, &real);
    int late = pthread_mutex_timedlock(&m, &past);
    struct timespec mono = in_ms(CLOCK_MONOTONIC, 5);
    int clocked = pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &mono);
    struct timespec now = in_ms(CLOCK_MONOTONIC, 0);
    int invalid = pthread_mutex_timedlock(&m, &bad);
    printf("held: timedlock %s past %s", strerrorname_np(timed), strerrorname_np(late));
    printf(" clocklock %s bad time %s\n", strerrorname_np(clocked), strerrorname_np(invalid));
    printf("waited long enough: %s\n", before(now, mono) ? "no" : "yes");
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, while_held, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&m);

    struct timespec end = in_ms(CLOCK_REALTIME, 1000), past = {1, 0};
    int timed = pthread_mutex_timedlock(&m, &end);
    pthread_mutex_unlock(&m);
    int late = pthread_mutex_timedlock(&m, &past);
    pthread_mutex_unlock(&m);
    int clocked = pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past);
    pthread_mutex_unlock(&m);
    printf("free: timedlock %d past %d clocklock %d\n", timed, late, clocked);
    return 0;
}
