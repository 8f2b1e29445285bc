// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock by link(): one at a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int entries;

static void *enter(void *arg)
{
    while (link("lock.of.link", "lock.held") != 0)
        usleep(300);
    entries++;
    unlink("lock.held");
    return arg;
}

int main(void)
{
    unlink("lock.held");
    close(open("lock.of.link", O_CREAT | O_WRONLY, 0600));
    pthread_t a, b;
    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink("lock.of.link");
    printf("%d entries\n", entries);
    return entries != 2;
}
