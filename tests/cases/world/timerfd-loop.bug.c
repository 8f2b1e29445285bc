// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A loop hears of a timer and of the end; at each tick it reads a counter that a worker writes.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int timer, ended;
static int jobs;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        usleep(3000);
        jobs = i + 1; //~ here
    }
    must(eventfd_write(ended, 1) == 0);
    return arg;
}

static void watch(int set, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}

int main(void)
{
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    struct epoll_event event;
    int set = epoll_create1(0), most = 0;
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    ended = eventfd(0, 0);
    watch(set, timer);
    watch(set, ended);
    must(timerfd_settime(timer, 0, &every, NULL) == 0);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    while (epoll_wait(set, &event, 1, -1) == 1 && event.data.fd != ended) {
        uint64_t n;
        must(read(timer, &n, sizeof n) == sizeof n || errno == EAGAIN);
        int seen = jobs; //~ here
        most = seen > most ? seen : most;
    }
    pthread_join(t, NULL);
    puts(most <= 3 ? "fine" : "too many");
    return most > 3;
}
