// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|uninitialised|null-dereference|failure/crash
// A worker allocates the buffer that main uses after a sleep: without it main meets NULL.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *_Atomic buffer;

static void *prepare(void *arg)
{
    char *fresh = calloc(1, 16);
    atomic_store(&buffer, fresh); //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, prepare, NULL);
    usleep(200000);
    char *mine = atomic_load(&buffer); //~ here
    mine[0] = 'x';                     //~ here
    pthread_join(t, NULL);
    puts(mine);
    free(mine);
    return 0;
}
