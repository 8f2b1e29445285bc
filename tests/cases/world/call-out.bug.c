// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
//~ outside: exec ./talk answer 7093 3
// Two threads ask a server outside, one with calls that wait and one that does not wait to be
// let in, and count the answers without a lock.
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int answers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int call_waiting(const struct sockaddr_in *to)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    for (int i = 0; connect(fd, (const struct sockaddr *)to, sizeof *to) < 0; i++) {
        if (i == 200 || errno != ECONNREFUSED)
            abort();
        usleep(20000); /* it begins beside us */
    }
    return fd;
}

/* An event loop would do it like this. */
static int call_at_once(const struct sockaddr_in *to)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), ep = epoll_create1(0), error = -1;
    struct epoll_event e = {.events = EPOLLOUT};
    socklen_t len = sizeof error;
    if (connect(fd, (const struct sockaddr *)to, sizeof *to) < 0 && errno != EINPROGRESS)
        abort();
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
    if (epoll_wait(ep, &e, 1, -1) != 1 || !(e.events & EPOLLOUT) ||
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error)
        abort();
    close(ep);
    return fd;
}

/* Until there is a whole line, however many pieces it comes in. */
static void read_line(int fd, char *line)
{
    for (int n = 0; n == 0 || line[n - 1] != '\n';) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, -1) != 1)
            abort();
        ssize_t got = recv(fd, line + n, (size_t)(63 - n), 0);
        if (got <= 0)
            abort();
        n += (int)got;
        line[n] = 0;
    }
}

static void *ask(void *at_once)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7093)}, peer, own;
    socklen_t len = sizeof peer;
    char line[64];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = at_once ? call_at_once(&to) : call_waiting(&to);
    if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0 || peer.sin_port != to.sin_port ||
        getsockname(fd, (struct sockaddr *)&own, &len) < 0 || own.sin_family != AF_INET)
        abort();
    for (int i = 0; i < 2; i++) {
        const char *question = i ? "bye\n" : "name\n";
        if (send(fd, question, strlen(question), 0) < 0)
            abort();
        read_line(fd, line);
        if (strcmp(line, i ? "re: bye\n" : "re: name\n") != 0)
            abort();
        answers++; //~ here
    }
    while (recv(fd, line, 1, 0) < 0 && errno == EAGAIN)
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7093)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    close(call_waiting(&to));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, ask, i ? &lock : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", answers);
    return 0;
}
