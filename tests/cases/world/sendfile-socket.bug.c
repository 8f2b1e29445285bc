// SPDX-License-Identifier: Apache-2.0
// A file goes out through a socket by sendfile;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static int ends[2], file;

static void *send_it(void *arg)
{
    (void)arg;
    off_t at = 0;
    if (sendfile(ends[0], file, &at, 5) != 5)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c[5];
    if (read(ends[1], c, 5) != 5)
        abort();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    file = open("edge-file", O_RDWR | O_CREAT, 0600);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || write(file, "hello", 5) != 5)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
