// SPDX-License-Identifier: Apache-2.0
// Shared memory that was there before is what it was before, in every run; a lock file in it
// tells the rest.
//~ check: quiet
//~ given: printf 1 > /dev/shm/given-to-twin-ok; rm -f /dev/shm/given-to-tell-ok
//~ libs: -lrt
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int data, seen;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *send_it(void *arg)
{
    data = 42;
    must(open("/dev/shm/given-to-tell-ok", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
    return arg;
}

static void *get_it(void *arg)
{
    while (shm_open("/given-to-tell-ok", O_RDONLY, 0) < 0)
        sched_yield();
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t s, g;
    int fd = shm_open("/given-to-twin-ok", O_RDWR, 0);
    char c = 0;
    must(fd >= 0 && pread(fd, &c, 1, 0) == 1 && c == '1');
    must(pwrite(fd, "2", 1, 0) == 1);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
