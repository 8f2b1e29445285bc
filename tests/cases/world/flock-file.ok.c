// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A counter in a file, guarded by flock: no increment is lost.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *bump(void *arg)
{
    int n = 0, fd = open("counter", O_RDWR);
    must(flock(fd, LOCK_EX) == 0);
    must(pread(fd, &n, sizeof n, 0) == sizeof n);
    n++;
    must(pwrite(fd, &n, sizeof n, 0) == sizeof n);
    must(flock(fd, LOCK_UN) == 0);
    close(fd);
    return arg;
}

int main(void)
{
    int n = 0, fd = open("counter", O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(write(fd, &n, sizeof n) == sizeof n);
    pthread_t a, b;
    pthread_create(&a, NULL, bump, NULL);
    pthread_create(&b, NULL, bump, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(pread(fd, &n, sizeof n, 0) == sizeof n);
    printf("%d\n", n);
    return n != 2;
}
