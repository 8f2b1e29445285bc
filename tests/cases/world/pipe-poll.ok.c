// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A worker stores its result, then tells through a pipe that it is ready.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2], result;

static void *worker(void *arg)
{
    result = 6 * 7;
    must(write(ends[1], "r", 1) == 1);
    return arg;
}

int main(void)
{
    char c;
    must(pipe(ends) == 0);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    must(poll(&p, 1, -1) == 1 && (p.revents & POLLIN));
    must(read(ends[0], &c, 1) == 1);
    int seen = result; //~ here
    pthread_join(t, NULL);
    printf("%d\n", seen);
    return seen != 42;
}
