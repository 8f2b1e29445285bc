// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What a mapping gets pread must see at once.
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
static volatile int *map;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        int got = -1;
        pthread_mutex_lock(&lock);
        map[0] += i;
        must(pread(fd, &got, sizeof got, 0) == sizeof got && got == map[0]);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *watcher(void *arg)
{
    pthread_mutex_lock(&lock);
    volatile int seen = map[0];
    pthread_mutex_unlock(&lock);
    (void)seen;
    return arg;
}

int main(void)
{
    fd = open("numbers", O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(ftruncate(fd, 4096) == 0);
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, watcher, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", map[0]);
    return map[0] != 3;
}
