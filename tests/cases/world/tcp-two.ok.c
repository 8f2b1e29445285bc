// SPDX-License-Identifier: Apache-2.0
// Two connections of the program with itself: the one that is read from is the one that the
// writer has sent through.
//~ check: quiet
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int near[2], far[2], data, seen;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *first(void *arg)
{
    data = 42;
    must(write(near[0], "x", 1) == 1);
    return arg;
}

static void *second(void *arg)
{
    char c;
    must(read(far[0], &c, 1) == 1);
    seen = data;
    return arg;
}

static void *third(void *arg)
{
    must(write(near[1], "y", 1) == 1);
    return arg;
}

int main(void)
{
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t len = sizeof where;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listening, (struct sockaddr *)&where, len) == 0 && listen(listening, 4) == 0);
    must(getsockname(listening, (struct sockaddr *)&where, &len) == 0);
    for (int i = 0; i < 2; i++) {
        near[i] = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(near[i], (struct sockaddr *)&where, len) == 0);
        far[i] = accept(listening, NULL, NULL);
        must(far[i] >= 0);
    }
    pthread_t t[3];
    void *(*const run[])(void *) = {first, third, second};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return seen != 42;
}
