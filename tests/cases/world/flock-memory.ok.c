// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// flock on a file that each thread opened itself: one at a time.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int visits;

static void *visit(void *arg)
{
    int fd = open("visits.lock", O_RDWR | O_CREAT, 0600);
    must(flock(fd, LOCK_EX) == 0);
    visits++; //~ here
    must(flock(fd, LOCK_UN) == 0);
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
