// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A lock file that is looked for first and made then: two threads may find none.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int users;

static void enter(void)
{
    int fd;
    while (access("users.lock", F_OK) == 0)
        usleep(200);
    fd = open("users.lock", O_CREAT | O_WRONLY, 0600);
    close(fd);
}

static void *use(void *arg)
{
    enter();
    users++; //~ here
    unlink("users.lock");
    return arg;
}

int main(void)
{
    unlink("users.lock");
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d users\n", users);
    return 0;
}
