// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A mapping is removed behind the join of the thread that draws into it.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 8192 };
static unsigned char *frame;

static void *draw(void *arg)
{
    memset(frame + 100, 0xff, 50); //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    int fd = memfd_create("frame", 0);
    if (fd < 0 || ftruncate(fd, SIZE) != 0)
        return 1;
    frame = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (frame == MAP_FAILED)
        return 1;
    pthread_create(&t, NULL, draw, NULL);
    pthread_join(t, NULL);
    munmap(frame, SIZE); //~ here
    close(fd);
    return 0;
}
