// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A lock by mkdir() that counts as stale after three attempts.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int pages;

static void *print(void *arg)
{
    for (int i = 0; i < 3 && mkdir("spool.lock", 0700) != 0; i++)
        usleep(500);
    pages++; //~ here
    rmdir("spool.lock");
    return arg;
}

int main(void)
{
    rmdir("spool.lock");
    pthread_t a, b;
    pthread_create(&a, NULL, print, NULL);
    pthread_create(&b, NULL, print, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d pages\n", pages);
    return pages != 2;
}
