// SPDX-License-Identifier: Apache-2.0
// Bytes go through a connection of this program with itself.
//~ check: quiet
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static int near, far;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(near, "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (read(far, &c, 1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t len = sizeof where;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&where, len) < 0 || listen(listening, 4) < 0 ||
        getsockname(listening, (struct sockaddr *)&where, &len) < 0)
        abort();
    near = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(near, (struct sockaddr *)&where, len) < 0)
        abort();
    far = accept(listening, NULL, NULL);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
