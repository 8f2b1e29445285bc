// SPDX-License-Identifier: Apache-2.0
// What is written goes to a copy of the descriptor.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int ends[2], copy, third;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(copy, "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (read(third, &c, 1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(ends) < 0)
        abort();
    copy = dup(ends[1]);
    third = fcntl(ends[0], F_DUPFD_CLOEXEC, 100);
    if (copy < 0 || third < 0)
        abort();
    close(ends[1]);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
