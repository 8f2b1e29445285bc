// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A value is stored, then announced by a byte in a file that the other thread polls.
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

static int value;

static void *writer(void *arg)
{
    int fd = open("news", O_WRONLY);
    usleep(2000);
    value = 8;
    must(write(fd, "n", 1) == 1);
    close(fd);
    return arg;
}

static void *reader(void *arg)
{
    char c;
    int fd = open("news", O_RDONLY);
    while (pread(fd, &c, 1, 0) == 0)
        usleep(1000);
    value++; //~ here
    close(fd);
    return arg;
}

int main(void)
{
    close(open("news", O_CREAT | O_TRUNC | O_WRONLY, 0600));
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", value);
    return 0;
}
