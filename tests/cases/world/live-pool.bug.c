// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
//~ client: ./talk unix pool.sock '0>seat' '1>seat' '0<!1' '0>bye' '0<bye' '1>bye' '1<bye'
// A loop with epoll hands what comes to a pool of workers. A guest asks for a seat
// of its own; two may get the same.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WORKERS = 2, QUEUE = 16, SEATS = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[QUEUE], queued, is_over, set, stop[2];
static int taken[SEATS];

static int take_seat(void)
{
    int seat = 0;
    while (seat < SEATS && taken[seat]) //~ here
        seat++;
    taken[seat % SEATS] = 1; //~ here
    return seat;
}

static void on_term(int signal)
{
    (void)signal;
    if (write(stop[1], "x", 1) < 0)
        _exit(3);
}

static void serve(int fd)
{
    char line[64], text[32] = "bye\n";
    ssize_t n = read(fd, line, sizeof line);
    if (n <= 0) {
        close(fd);
        return;
    }
    if (line[0] == 's')
        snprintf(text, sizeof text, "%d\n", take_seat());
    if (write(fd, text, strlen(text)) < 0)
        perror("write");
    struct epoll_event again = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
    epoll_ctl(set, EPOLL_CTL_MOD, fd, &again);
}

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (queued == 0 && !is_over)
            pthread_cond_wait(&more, &lock);
        if (queued == 0) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        int fd = queue[--queued];
        pthread_mutex_unlock(&lock);
        serve(fd);
    }
}

static void hand_on(int fd)
{
    pthread_mutex_lock(&lock);
    if (queued < QUEUE)
        queue[queued++] = fd;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void loop(int door)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = door};
    epoll_ctl(set, EPOLL_CTL_ADD, door, &e);
    e.data.fd = stop[0];
    epoll_ctl(set, EPOLL_CTL_ADD, stop[0], &e);
    for (;;) {
        if (epoll_wait(set, &e, 1, -1) != 1)
            continue;
        if (e.data.fd == stop[0])
            return;
        if (e.data.fd != door) {
            hand_on(e.data.fd);
            continue;
        }
        struct epoll_event c = {.events = EPOLLIN | EPOLLONESHOT,
                                .data.fd = accept(door, NULL, NULL)};
        epoll_ctl(set, EPOLL_CTL_ADD, c.data.fd, &c);
    }
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "pool.sock"};
    struct sigaction action = {.sa_handler = on_term};
    pthread_t workers[WORKERS];
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(at.sun_path);
    set = epoll_create1(0);
    if (pipe(stop) < 0 || bind(door, (struct sockaddr *)&at, sizeof at) < 0 ||
        listen(door, 8) < 0)
        return 2;
    sigaction(SIGTERM, &action, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    loop(door);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
