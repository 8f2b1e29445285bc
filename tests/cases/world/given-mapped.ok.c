// SPDX-License-Identifier: Apache-2.0
//~ given: head -c 4096 /dev/zero > records
//~ check: quiet
// Records of a file that was there before are written by pwrite and read through a mapping
// that can only be read, both under one lock.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int fd;
static volatile const int *map;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    for (int i = 1; i <= 3; i++) {
        int twice = 2 * i;
        pthread_mutex_lock(&lock);
        must(pwrite(fd, &i, sizeof i, 0) == sizeof i);
        must(pwrite(fd, &twice, sizeof twice, sizeof i) == sizeof twice);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&lock);
    int once = map[0], twice = map[1];
    pthread_mutex_unlock(&lock);
    *(int *)arg = twice != 2 * once;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int torn = 0;
    int shown = open("records", O_RDONLY);
    map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, shown, 0);
    fd = open("records", O_RDWR);
    must(map != MAP_FAILED && fd >= 0);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, &torn);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(torn ? "torn" : "whole");
    return torn;
}
