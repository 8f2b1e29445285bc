// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A flag file says that the set-up is over; it is made behind the last step.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int steps;

static void *setup(void *arg)
{
    steps = 1; //~ here
    steps = 2;
    int fd = open("setup.done", O_CREAT | O_WRONLY, 0600);
    close(fd);
    return arg;
}

static void *user(void *arg)
{
    while (access("setup.done", F_OK) != 0)
        usleep(1000);
    printf("%d steps\n", steps); //~ here
    return arg;
}

int main(void)
{
    unlink("setup.done");
    pthread_t a, b;
    pthread_create(&a, NULL, setup, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink("setup.done");
    return 0;
}
