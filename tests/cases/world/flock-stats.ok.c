// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads guard a counter by flock, each through a descriptor of its own.

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int shared, count;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *add(void *arg)
{
    int fd = open("lock", O_RDWR);
    must(fd >= 0);
    for (int i = 0; i < 2; i++) {
        must(flock(fd, LOCK_EX) == 0);
        count++;
        must(flock(fd, LOCK_UN) == 0);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    shared = open("lock", O_RDWR | O_CREAT, 0600);
    must(shared >= 0);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count > 4;
}
