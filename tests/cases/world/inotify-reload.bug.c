// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Who sees by inotify that the file was written takes the number of versions, which is
// written after it.

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static int versions, watch;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *reload(void *arg)
{
    char events[1024];
    must(read(watch, events, sizeof events) > 0);
    return versions == 1 ? arg : NULL; //~ here
}

int main(void)
{
    pthread_t t;
    must(mkdir("conf", 0700) == 0);
    watch = inotify_init1(0);
    must(watch >= 0 && inotify_add_watch(watch, "conf", IN_CLOSE_WRITE) >= 0);
    pthread_create(&t, NULL, reload, NULL);
    int fd = open("conf/file", O_WRONLY | O_CREAT, 0600);
    must(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
    versions++; //~ here
    pthread_join(t, NULL);
    close(watch);
    return 0;
}
