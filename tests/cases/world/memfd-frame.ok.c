// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A frame is drawn into a memfd and announced by a pipe when it is complete.
#define _GNU_SOURCE
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

static int ends[2];
static unsigned char *frame;

static void *painter(void *arg)
{
    for (int i = 0; i < 7; i++)
        frame[i] = 1;
    frame[7] = 1;
    must(write(ends[1], "f", 1) == 1);
    return arg;
}

int main(void)
{
    int sum = 0, fd = memfd_create("frame", 0);
    char c;
    must(pipe(ends) == 0 && ftruncate(fd, 4096) == 0);
    frame = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t t;
    pthread_create(&t, NULL, painter, NULL);
    must(read(ends[0], &c, 1) == 1);
    for (int i = 0; i < 8; i++)
        sum += frame[i]; //~ here
    pthread_join(t, NULL);
    printf("%d pixels\n", sum);
    return sum != 8;
}
