/* Clocks never go back between threads, and no sleep is shorter than asked. */
//~ exit: 0
//~ stdout: too short 0, backwards 0
//~ stdout: resolution yes, wall clock and monotonic clock moved on yes
//~ stdout: a thread's own clock yes
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long long latest_ns;
static int too_short, backwards;

static long long now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *sleep_and_look(void *arg)
{
    int way = *(int *)arg;
    struct timespec span = {.tv_nsec = 2000000};
    for (int i = 0; i < 5; i++) {
        long long start = now_ns(CLOCK_MONOTONIC);
        if (way == 0)
            nanosleep(&span, NULL);
        else if (way == 1)
            usleep(2000);
        else
            clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
        pthread_mutex_lock(&m);
        long long end = now_ns(CLOCK_MONOTONIC);
        too_short += end - start < 2000000;
        backwards += end < latest_ns;
        latest_ns = end;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int way[3] = {0, 1, 2};
    struct timeval wall;
    gettimeofday(&wall, NULL);
    long long start = now_ns(CLOCK_MONOTONIC),
              start_us = wall.tv_sec * 1000000LL + wall.tv_usec;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, sleep_and_look, &way[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    gettimeofday(&wall, NULL);
    int moved = wall.tv_sec * 1000000LL + wall.tv_usec - start_us >= 9000 &&
                now_ns(CLOCK_MONOTONIC) - start >= 10000000 && time(NULL) >= wall.tv_sec - 1;
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    printf("too short %d, backwards %d\n", too_short, backwards);
    printf("resolution %s, wall clock and monotonic clock moved on %s\n",
           resolution.tv_sec == 0 && resolution.tv_nsec > 0 ? "yes" : "no",
           moved ? "yes" : "no");
    clockid_t own;
    int is_there = pthread_getcpuclockid(pthread_self(), &own) == 0 &&
                   clock_gettime(own, &resolution) == 0;
    printf("a thread's own clock %s\n", is_there ? "yes" : "no");
    return 0;
}
