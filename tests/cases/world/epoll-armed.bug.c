// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|use-after-free|failure|assertion
// Two threads serve several pipes, and one pipe may be reported to both.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

struct peer {
    int fd, bytes;
};
static int set;

static void arm(int op, struct peer *p)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
    must(epoll_ctl(set, op, p->fd, &event) == 0);
}

static void *serve(void *arg)
{
    struct epoll_event event;
    char text[4];
    while (epoll_wait(set, &event, 1, 100) == 1) {
        struct peer *p = event.data.ptr;
        long n = read(p->fd, text, sizeof text);
        if (n > 0) {
            p->bytes += (int)n; //~ here
            continue;
        }
        must(p->bytes == 10); //~ here
        close(p->fd);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    set = epoll_create1(0);
    for (int i = 0; i < 2; i++) {
        int ends[2];
        must(pipe(ends) == 0);
        struct peer *p = calloc(1, sizeof *p);
        p->fd = ends[0];
        arm(EPOLL_CTL_ADD, p);
        must(write(ends[1], "0123456789", 10) == 10);
        close(ends[1]);
    }
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("served");
    return 0;
}
