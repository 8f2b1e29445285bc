// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A server on an abstract name; the client reads the log before the answer that would order it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int listener;
static char log_line[16];

static void *server(void *arg)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    must(read(fd, &c, 1) == 1);
    log_line[0] = c; //~ here
    must(write(fd, "+", 1) == 1);
    close(fd);
    return arg;
}

int main(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0twin-of-a-server"};
    char c;
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0) {
        perror("bind");
        return 2;
    }
    must(listen(listener, 1) == 0);
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    must(write(fd, "q", 1) == 1);
    char first = log_line[0]; //~ here
    must(read(fd, &c, 1) == 1);
    pthread_join(t, NULL);
    puts("answered");
    return first != 'q' && first != 0;
}
