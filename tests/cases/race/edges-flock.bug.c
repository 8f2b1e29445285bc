// SPDX-License-Identifier: Apache-2.0
//~ expect: race A A
// Both threads lock through the same descriptor, which keeps neither of them out.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int value, fd;

static void *one(void *arg)
{
    flock(fd, LOCK_EX);
    value++; //~ A
    flock(fd, LOCK_UN);
    return arg;
}

#define two one

int main(void)
{
    pthread_t t[2];
    fd = open("lock.tmp", O_CREAT | O_RDWR, 0600);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    unlink("lock.tmp");
    return 0;
}
