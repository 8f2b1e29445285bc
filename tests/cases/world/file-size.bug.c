// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A thread waits until a file has its full size; the table is filled after the last byte was
// written.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int table[4];

static void *writer(void *arg)
{
    int fd = open("table", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    must(write(fd, "abc", 3) == 3);
    must(write(fd, "d", 1) == 1);
    table[3] = 30; //~ here
    close(fd);
    return arg;
}

static void *reader(void *arg)
{
    struct stat s;
    while (stat("table", &s) != 0 || s.st_size < 4)
        usleep(500);
    *(int *)arg = table[3]; //~ here
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen = 0;
    unlink("table");
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", seen);
    return seen != 30;
}
