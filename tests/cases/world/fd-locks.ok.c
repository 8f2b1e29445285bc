// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two locks are taken in both orders, but they belong to descriptors that only one thread has.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FDS = 64 };

static void must(int holds)
{
    if (!holds)
        abort();
}

static pthread_mutex_t locks[FDS];
static int moved[FDS];

static int get(void)
{
    int fd = open("/dev/null", O_RDWR);
    must(fd >= 0 && fd < FDS);
    return fd;
}

static void move(int from, int to)
{
    pthread_mutex_lock(&locks[from]);
    pthread_mutex_lock(&locks[to]);
    moved[from]--;
    moved[to]++;
    pthread_mutex_unlock(&locks[to]);
    pthread_mutex_unlock(&locks[from]);
}

static void *up(void *arg)
{
    int low = get(), high = get();
    move(low, high);
    close(high);
    close(low);
    return arg;
}

static void *down(void *arg)
{
    int low = get(), high = get();
    move(high, low);
    close(high);
    close(low);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < FDS; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("moved");
    return 0;
}
