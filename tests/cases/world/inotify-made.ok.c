// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// inotify tells that a file was made, after what belongs to it was stored.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int watch, version;

static void *maker(void *arg)
{
    version = 2;
    int fd = open("box/file", O_CREAT | O_WRONLY, 0600);
    close(fd);
    return arg;
}

int main(void)
{
    char buffer[512] __attribute__((aligned(8)));
    mkdir("box", 0700);
    unlink("box/file");
    watch = inotify_init1(IN_CLOEXEC);
    must(inotify_add_watch(watch, "box", IN_CREATE) >= 0);
    pthread_t t;
    pthread_create(&t, NULL, maker, NULL);
    must(read(watch, buffer, sizeof buffer) > 0);
    printf("version %d\n", version); //~ here
    pthread_join(t, NULL);
    close(watch);
    return 0;
}
