// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A server with a thread for each connection counts bytes without a lock.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2 };
static long bytes;
static struct sockaddr_in where;

static void *serve(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char text[32];
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0) {
        bytes += n; //~ here
        if (write(fd, text, (size_t)n) != n)
            break;
    }
    close(fd);
    return NULL;
}

static void *ask(void *arg)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char back[8] = "";
    if (connect(fd, (struct sockaddr *)&where, sizeof where) != 0)
        return NULL;
    if (write(fd, "hello", 5) == 5 && recv(fd, back, 5, MSG_WAITALL) == 5)
        *(int *)arg = memcmp(back, "hello", 5) == 0;
    shutdown(fd, SHUT_WR);
    while (read(fd, back, sizeof back) > 0)
        ;
    close(fd);
    return NULL;
}

int main(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), good[CLIENTS] = {0};
    socklen_t size = sizeof where;
    pthread_t servers[CLIENTS], clients[CLIENTS];
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&where, sizeof where) != 0 || listen(fd, 4) != 0 ||
        getsockname(fd, (struct sockaddr *)&where, &size) != 0)
        return 1;
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask, &good[i]);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&servers[i], NULL, serve, (void *)(intptr_t)accept(fd, NULL, NULL));
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i], NULL);
        pthread_join(servers[i], NULL);
    }
    close(fd);
    return !good[0] || !good[1];
}
