// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The directory is made before what it stands for.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int value;

static void *one(void *arg)
{
    mkdir("dir.tmp", 0700);
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    int fd;
    while ((fd = open("dir.tmp/file", O_CREAT | O_WRONLY, 0600)) < 0)
        usleep(100);
    close(fd);
    value = 2; //~ B
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    unlink("dir.tmp/file");
    rmdir("dir.tmp");
    return 0;
}
