// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// flock on one open file that two threads share: the second one "has" the lock already.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int visits;
static int shared;

static void *visit(void *arg)
{
    int fd = shared;
    must(flock(fd, LOCK_EX) == 0);
    visits++; //~ here
    must(flock(fd, LOCK_UN) == 0);
    return arg;
}

int main(void)
{
    shared = open("visits.lock", O_RDWR | O_CREAT, 0600);
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d visits\n", visits);
    return visits != 2;
}
