// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Each thread locks the file through a descriptor of its own.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int value;

static void *one(void *arg)
{
    int fd = open("lock.tmp", O_CREAT | O_RDWR, 0600);
    flock(fd, LOCK_EX);
    value++;
    flock(fd, LOCK_UN);
    close(fd);
    return arg;
}

#define two one

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    unlink("lock.tmp");
    return 0;
}
