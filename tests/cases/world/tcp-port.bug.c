// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A server on a fixed port with two handlers that count requests without a lock.
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

static int listener;
static int hits;

static void *handler(void *arg)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    must(fd >= 0 && read(fd, &c, 1) == 1);
    hits++; //~ here
    must(write(fd, &c, 1) == 1);
    close(fd);
    return arg;
}

int main(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(18117)};
    int one = 1, fd[2];
    pthread_t t[2];
    char c;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0) {
        perror("bind");
        return 2;
    }
    must(listen(listener, 4) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, handler, NULL);
    for (int i = 0; i < 2; i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(fd[i], (struct sockaddr *)&name, sizeof name) == 0);
        must(write(fd[i], "x", 1) == 1);
    }
    for (int i = 0; i < 2; i++) {
        must(read(fd[i], &c, 1) == 1);
        pthread_join(t[i], NULL);
    }
    printf("%d hits\n", (int)hits);
    return hits != 2;
}
