// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Locks of open file descriptions, one for each thread: one at a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int total;

static void change(int fd, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET};
    must(fcntl(fd, F_OFD_SETLKW, &range) == 0);
}

static void *add(void *arg)
{
    int fd = open("total.lock", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 2; i++) {
        change(fd, F_WRLCK);
        total++; //~ here
        change(fd, F_UNLCK);
    }
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", total);
    return total != 4;
}
