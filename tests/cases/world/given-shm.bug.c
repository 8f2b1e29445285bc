// SPDX-License-Identifier: Apache-2.0
// Shared memory that was there before; a name in it tells that something was done, and
// what is told comes after that.
//~ check: race|order
//~ given: printf 1 > /dev/shm/given-to-twin-bug; rm -f /dev/shm/given-to-tell-bug
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
    must(open("/dev/shm/given-to-tell-bug", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
    data = 42; //~ here
    return arg;
}

static void *get_it(void *arg)
{
    while (shm_open("/given-to-tell-bug", O_RDONLY, 0) < 0)
        sched_yield();
    seen = data; //~ here
    return arg;
}

int main(void)
{
    pthread_t s, g;
    int fd = shm_open("/given-to-twin-bug", O_RDWR, 0);
    char c = 0;
    must(fd >= 0 && pread(fd, &c, 1, 0) == 1 && c == '1');
    must(pwrite(fd, "2", 1, 0) == 1);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
