// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Two threads serve one epoll set; without EPOLLONESHOT both may handle the same connection at
// a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int set, ends[2], quit, handled;

static void arm(int op)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
    must(epoll_ctl(set, op, ends[0], &event) == 0);
}

static void *serve(void *arg)
{
    for (;;) {
        struct epoll_event event;
        char c = 0;
        must(epoll_wait(set, &event, 1, -1) == 1);
        if (event.data.fd == quit)
            return arg;
        if (read(ends[0], &c, 1) == 1)
            handled++; //~ here
        if (c == 'q')
            must(eventfd_write(quit, 1) == 0);
        else
            arm(EPOLL_CTL_MOD);
    }
}

int main(void)
{
    set = epoll_create1(0);
    quit = eventfd(0, 0);
    must(pipe2(ends, O_NONBLOCK) == 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = quit};
    must(epoll_ctl(set, EPOLL_CTL_ADD, quit, &event) == 0);
    arm(EPOLL_CTL_ADD);
    must(write(ends[1], "abq", 3) == 3);
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d handled\n", handled);
    return handled != 3;
}
