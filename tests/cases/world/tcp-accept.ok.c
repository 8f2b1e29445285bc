// SPDX-License-Identifier: Apache-2.0
// A connection is made when all is ready, and nothing is sent.
//~ check: quiet
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static struct sockaddr_in where = {.sin_family = AF_INET};
static int listening;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&where, sizeof where) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    if (accept(listening, NULL, NULL) < 0)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    socklen_t len = sizeof where;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&where, len) < 0 || listen(listening, 4) < 0 ||
        getsockname(listening, (struct sockaddr *)&where, &len) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
