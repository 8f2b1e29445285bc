/* The clock after waits that timers end: alone, with a time limit, beside a pipe and work. */
//~ exit: 0
//~ stdout: struck 6 times or more, heard 4, the clock went on
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *tells(void *unused)
{
    for (int i = 0; i < 4; i++) {
        usleep(1500);
        if (write(ends[1], "x", 1) != 1)
            return unused;
    }
    return unused;
}

static void *works(void *sum)
{
    for (int i = 0; i < 3000; i++)
        ++*(volatile int *)sum;
    return NULL;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

int main(void)
{
    pthread_t t[2];
    int sum = 0, heard = 0;
    uint64_t strikes = 0, count;
    if (pipe(ends))
        return 1;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec each = {{0, 2000000}, {0, 2000000}};
    timerfd_settime(timer, 0, &each, NULL);
    int64_t start = now();
    if (read(timer, &count, sizeof count) == sizeof count)
        strikes += count;
    int64_t after = now();
    pthread_create(&t[0], NULL, tells, NULL);
    pthread_create(&t[1], NULL, works, &sum);
    while (heard < 4 || strikes < 6) {
        struct pollfd p[2] = {{timer, POLLIN, 0}, {ends[0], POLLIN, 0}};
        char c;
        poll(p, 2, strikes % 2 ? -1 : 50000);
        if (p[0].revents && read(timer, &count, sizeof count) == sizeof count)
            strikes += count;
        if (p[1].revents)
            heard += (int)read(ends[0], &c, 1);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("struck %s, heard %d, the clock %s\n",
           strikes >= 6 ? "6 times or more" : "too little", heard,
           start < after && after < now() ? "went on" : "stood");
    return 0;
}
