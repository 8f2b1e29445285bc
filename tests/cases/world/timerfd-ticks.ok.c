// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread counts the ticks of a timerfd; main joins it before it reads the count.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ticks;

static void *ticker(void *arg)
{
    struct itimerspec every = {{0, 5000000}, {0, 5000000}};
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    must(timerfd_settime(fd, 0, &every, NULL) == 0);
    while (ticks < 3) { //~ here
        uint64_t n;
        must(read(fd, &n, sizeof n) == sizeof n);
        ticks += (int)n; //~ here
    }
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ticker, NULL);
    pthread_join(t, NULL);
    int seen = ticks; //~ here
    printf("%s\n", seen >= 3 ? "ticked" : "too early");
    return 0;
}
