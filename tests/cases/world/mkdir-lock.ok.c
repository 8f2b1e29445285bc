// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock by mkdir(), waited for as long as it takes.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int pages;

static void *print(void *arg)
{
    while (mkdir("spool.lock", 0700) != 0)
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
