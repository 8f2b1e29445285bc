// SPDX-License-Identifier: Apache-2.0
// The socket of an earlier run is in the way until it is removed; then the name is there for
// both ends.
//~ check: quiet
//~ given: python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("door")'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int data, seen;

static int listening;
static const struct sockaddr_un door = {AF_UNIX, "door"};

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *send_it(void *arg)
{
    data = 42;
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    must(connect(s, (const struct sockaddr *)&door, sizeof door) == 0);
    must(send(s, "x", 1, 0) == 1);
    return arg;
}

static void *get_it(void *arg)
{
    char c;
    int s = accept(listening, NULL, NULL);
    must(s >= 0 && recv(s, &c, 1, 0) == 1);
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t s, g;
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(listening, (const struct sockaddr *)&door, sizeof door) < 0 &&
         errno == EADDRINUSE);
    must(unlink("door") == 0);
    must(bind(listening, (const struct sockaddr *)&door, sizeof door) == 0);
    must(listen(listening, 1) == 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
