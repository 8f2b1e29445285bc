// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ stdin: stop\n
// A command from standard input stops a worker; its result is read when it has ended.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int stop;
static int result;

static void *worker(void *arg)
{
    while (!atomic_load(&stop))
        usleep(1000);
    result = 5; //~ here
    return arg;
}

int main(void)
{
    char command[16] = "";
    struct pollfd p = {.fd = 0, .events = POLLIN};
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (poll(&p, 1, -1) != 1 || read(0, command, sizeof command - 1) <= 0)
        return 2;
    if (strcmp(command, "stop\n") == 0)
        atomic_store(&stop, 1);
    else
        return 3;
    pthread_join(t, NULL);
    int seen = result; //~ here
    puts(seen <= 5 ? "stopped" : "what?");
    return 0;
}
