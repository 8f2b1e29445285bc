// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock|failure
// Two lock files, taken in both orders.
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

static int moved;

static int lock_file(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    must(flock(fd, LOCK_EX) == 0);
    return fd;
}

static void *forth(void *arg)
{
    int a = lock_file("a.lock"), b = lock_file("b.lock");
    moved++;
    close(b);
    close(a);
    return arg;
}

static void *back(void *arg)
{
    int b = lock_file("b.lock"), a = lock_file("a.lock");
    moved--;
    close(b);
    close(a);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, forth, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", moved);
    return moved;
}
