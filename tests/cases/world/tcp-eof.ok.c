// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A client closes its side and looks at the server's total when the server has closed the other
// one.
#include <arpa/inet.h>
#include <netinet/in.h>
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

static int listener, received;

static void *server(void *arg)
{
    char part[8];
    int fd = accept(listener, NULL, NULL);
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;)
        received += (int)n; //~ here
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
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    must(write(fd, "hello ", 6) == 6 && write(fd, "world", 5) == 5);
    shutdown(fd, SHUT_WR);
    must(read(fd, &c, 1) == 0);
    int seen = received; //~ here
    pthread_join(t, NULL);
    printf("%d bytes\n", seen);
    return seen != 11;
}
