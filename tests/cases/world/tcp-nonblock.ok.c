// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A nonblocking client connects, waits for POLLOUT and then for the server's answer.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int listener, sessions;

static void *server(void *arg)
{
    int fd = accept(listener, NULL, NULL);
    sessions = 1; //~ here
    must(write(fd, "+", 1) == 1);
    close(fd);
    return arg;
}

int main(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    char c;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 &&
         listen(listener, 1) == 0);
    must(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    must(connect(fd, (struct sockaddr *)&name, sizeof name) == 0 || errno == EINPROGRESS);
    must(poll(&p, 1, -1) == 1);
    p.events = POLLIN;
    must(poll(&p, 1, -1) == 1 && read(fd, &c, 1) == 1);
    int seen = sessions;
    pthread_join(t, NULL);
    printf("served\n");
    return seen > 1;
}
