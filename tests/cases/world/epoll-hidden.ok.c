// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A worker hears through epoll that the setting is stored, and reads it behind that.
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

static int news, stored, setting;

static void *worker(void *arg)
{
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    must(epoll_ctl(set, EPOLL_CTL_ADD, stored, &event) == 0);
    must(epoll_wait(set, &event, 1, -1) == 1);
    int seen = setting; //~ here
    close(set);
    *(int *)arg = seen;
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t t;
    news = eventfd(0, 0);
    stored = eventfd(0, 0);
    must(eventfd_write(news, 1) == 0);
    pthread_create(&t, NULL, worker, &seen);
    setting = 5; //~ here
    must(eventfd_write(stored, 1) == 0);
    pthread_join(t, NULL);
    printf("it ran\n");
    return seen > 5;
}
