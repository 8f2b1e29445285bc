// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// rename() tells that the index is built, with the count of its entries.
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

static int entries;

static void *build(void *arg)
{
    close(open("index.tmp", O_CREAT | O_WRONLY, 0600));
    entries = 12;
    must(rename("index.tmp", "index") == 0);
    return arg;
}

static void *search(void *arg)
{
    int fd;
    while ((fd = open("index", O_RDONLY)) < 0)
        usleep(500);
    close(fd);
    printf("%d entries\n", entries); //~ here
    return arg;
}

int main(void)
{
    unlink("index");
    pthread_t a, b;
    pthread_create(&a, NULL, build, NULL);
    pthread_create(&b, NULL, search, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
