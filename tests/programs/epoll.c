/* An epoll loop serves a pipe and an eventfd that threads write to, and times out. */
//~ exit: 0
//~ stdout: silent 0, pipe bytes 10, events counted 20
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2], counter;

static void *write_pipe(void *arg)
{
    for (int i = 0; i < 10; i++)
        if (write(ends[1], "x", 1) != 1)
            break;
    return arg;
}

static void *add_events(void *arg)
{
    for (int i = 0; i < 10; i++)
        eventfd_write(counter, 2);
    return arg;
}

static void watch(int loop, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
}

int main(void)
{
    pthread_t a, b;
    struct epoll_event ready[4];
    int loop = epoll_create1(0), bytes = 0, events = 0;
    counter = eventfd(0, 0);
    if (pipe(ends) != 0)
        return 1;
    watch(loop, ends[0]);
    watch(loop, counter);
    int silent = epoll_wait(loop, ready, 4, 2);
    pthread_create(&a, NULL, write_pipe, NULL);
    pthread_create(&b, NULL, add_events, NULL);
    while (bytes < 10 || events < 20) {
        int n = epoll_wait(loop, ready, 4, -1);
        for (int i = 0; i < n; i++) {
            char buffer[4];
            eventfd_t value = 0;
            if (ready[i].data.fd == ends[0])
                bytes += (int)read(ends[0], buffer, sizeof buffer);
            else if (eventfd_read(counter, &value) == 0)
                events += (int)value;
        }
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("silent %d, pipe bytes %d, events counted %d\n", silent, bytes, events);
    return 0;
}
