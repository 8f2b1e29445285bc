// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Byte ranges of a file are the locks of records; one of two threads locks the wrong byte.
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

static int records[2];

static void change(int fd, short type, int which)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = which, .l_len = 1};
    must(fcntl(fd, F_OFD_SETLKW, &range) == 0);
}

static void *first(void *arg)
{
    int fd = open("records.lock", O_RDWR | O_CREAT, 0600);
    change(fd, F_WRLCK, 0);
    records[0]++; //~ here
    change(fd, F_UNLCK, 0);
    close(fd);
    return arg;
}

static void *both(void *arg)
{
    int fd = open("records.lock", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 2; i++) {
        change(fd, F_WRLCK, 1);
        records[i]++; //~ here
        change(fd, F_UNLCK, 1);
    }
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, both, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", records[0], records[1]);
    return records[0] != 2;
}
