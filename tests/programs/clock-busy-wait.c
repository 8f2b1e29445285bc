/* A loop that only asks the clock ends when its time has come. */
//~ exit: 0
//~ stdout: both ended, busy for at least 20 ms yes
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *busy(void *arg)
{
    long long start = now_ns(), now;
    while ((now = now_ns()) < start + 20000000)
        ;
    *(int *)arg = now - start >= 20000000;
    return NULL;
}

static void *sleeper(void *arg)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return arg;
}

int main(void)
{
    pthread_t b, s;
    int enough = 0;
    pthread_create(&b, NULL, busy, &enough);
    pthread_create(&s, NULL, sleeper, NULL);
    pthread_join(s, NULL);
    pthread_join(b, NULL);
    printf("both ended, busy for at least 20 ms %s\n", enough ? "yes" : "no");
    return 0;
}
