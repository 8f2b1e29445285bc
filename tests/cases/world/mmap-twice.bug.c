// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|failure
// One file mapped twice: two addresses are one counter, and there is no lock.
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

static volatile int *view[2];

static void *bump(void *arg)
{
    volatile int *counter = view[(long)arg];
    *counter = *counter + 1; //~ here
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int fd = open("twice", O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(ftruncate(fd, 4096) == 0);
    for (long i = 0; i < 2; i++)
        view[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, bump, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", *view[0]);
    return *view[0] != 2;
}
