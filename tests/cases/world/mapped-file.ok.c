// SPDX-License-Identifier: Apache-2.0
// What is written into a file is seen in memory that shows it.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int data, seen;
static int file;
static volatile char *shown;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (pwrite(file, "x", 1, 100) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (__atomic_load_n(&shown[100], __ATOMIC_ACQUIRE) != 'x')
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    file = open("edge-file", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 4096) < 0)
        abort();
    shown = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
