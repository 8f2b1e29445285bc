// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// poll waits at most 10 s, more than enough; the answer is stored after it was announced.
#define _GNU_SOURCE
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

static int ends[2], answer;

static void *peer(void *arg)
{
    usleep(1000);
    must(write(ends[1], "a", 1) == 1);
    answer = 4; //~ here
    return arg;
}

int main(void)
{
    must(pipe(ends) == 0);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    pthread_t t;
    pthread_create(&t, NULL, peer, NULL);
    if (poll(&p, 1, 10000) == 0) {
        fprintf(stderr, "no answer in 10 s\n");
        return 1;
    }
    int seen = answer; //~ here
    pthread_join(t, NULL);
    puts("answered");
    return seen > 4;
}
