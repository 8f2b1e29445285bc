// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A try-lock with flock, again and again until it is free.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int visits;

static void *visit(void *arg)
{
    int fd = open("try.lock", O_RDWR | O_CREAT, 0600);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0)
        usleep(200);
    visits++; //~ here
    flock(fd, LOCK_UN);
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d visits\n", visits);
    return visits != 2;
}
