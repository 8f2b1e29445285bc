// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A loop is told to stop by an eventfd, but the reason is stored only after it was told.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake;
static const char *reason = "none";

static void *run_loop(void *arg)
{
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = wake};
    epoll_ctl(set, EPOLL_CTL_ADD, wake, &event);
    eventfd_t value;
    if (epoll_wait(set, &event, 1, -1) != 1 || eventfd_read(event.data.fd, &value) != 0)
        abort();
    printf("stopped, %zu letters of reason\n", strlen(reason)); //~ here
    close(set);
    return arg;
}

int main(void)
{
    wake = eventfd(0, 0);
    pthread_t t;
    pthread_create(&t, NULL, run_loop, NULL);
    if (eventfd_write(wake, 1) != 0)
        return 2;
    reason = "quota"; //~ here
    pthread_join(t, NULL);
    close(wake);
    return 0;
}
