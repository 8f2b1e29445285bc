// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock file made with O_EXCL: one at a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int users;

static void enter(void)
{
    int fd;
    while ((fd = open("users.lock", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
        usleep(200);
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
