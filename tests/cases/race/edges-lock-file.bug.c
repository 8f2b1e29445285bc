// SPDX-License-Identifier: Apache-2.0
//~ expect: race A A
// The lock file is removed too early.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value;

static void *one(void *arg)
{
    int fd;
    while ((fd = open("lock.tmp", O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
        usleep(100);
    close(fd);
    unlink("lock.tmp");
    value++; //~ A
    return arg;
}

#define two one

int main(void)
{
    pthread_t t[2];
    unlink("lock.tmp");
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
