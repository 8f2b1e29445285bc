// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Two sources report by an eventfd each; the first report heard is taken for both, which it is
// not.
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

static int ready_a, ready_b, from_a, from_b;

static void *source_a(void *arg)
{
    from_a = 1; //~ here
    must(eventfd_write(ready_a, 1) == 0);
    return arg;
}

static void *source_b(void *arg)
{
    from_b = 2; //~ here
    must(eventfd_write(ready_b, 1) == 0);
    return arg;
}

static void watch(int set, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}

static int listen_to_both(void)
{
    int set = epoll_create1(0), total = 0;
    watch(set, ready_a);
    watch(set, ready_b);
    for (int heard = 0; heard < 2; heard++) {
        struct epoll_event event;
        eventfd_t value;
        must(epoll_wait(set, &event, 1, -1) == 1);
        must(eventfd_read(event.data.fd, &value) == 0);
        if (heard == 0)
            total = from_a + from_b; //~ here
    }
    close(set);
    return total;
}

int main(void)
{
    ready_a = eventfd(0, 0);
    ready_b = eventfd(0, 0);
    pthread_t a;
    pthread_create(&a, NULL, source_a, NULL);
    pthread_t b;
    pthread_create(&b, NULL, source_b, NULL);
    int total = listen_to_both();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("total %d\n", total);
    return 0;
}
