// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A file is written beside and renamed: a reader finds all of it or nothing.
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

static void *publish(void *arg)
{
    const char *name = "page.new";
    int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    must(write(fd, "head ", 5) == 5);
    must(write(fd, "body", 4) == 4);
    close(fd);
    must(rename(name, "page") == 0);
    return arg;
}

static void *fetch(void *arg)
{
    char text[16];
    int fd;
    while ((fd = open("page", O_RDONLY)) < 0)
        usleep(1000);
    *(ssize_t *)arg = read(fd, text, sizeof text);
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    ssize_t size = 0;
    unlink("page");
    pthread_create(&a, NULL, fetch, &size);
    pthread_create(&b, NULL, publish, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%zd bytes\n", size);
    return size != 9;
}
