// SPDX-License-Identifier: Apache-2.0
// A datagram goes to a named socket;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int data, seen;
static struct sockaddr_un where = {.sun_family = AF_UNIX, .sun_path = "edge-socket"};
static int in;

static void *send_it(void *arg)
{
    (void)arg;
    int s = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (sendto(s, "x", 1, 0, (struct sockaddr *)&where, sizeof where) != 1)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (recv(in, &c, 1, 0) != 1)
        abort();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    in = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (bind(in, (struct sockaddr *)&where, sizeof where) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
