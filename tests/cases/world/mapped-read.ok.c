// SPDX-License-Identifier: Apache-2.0
// What is written into memory that shows a file is read from the file.
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
    __atomic_store_n(&shown[100], 'x', __ATOMIC_RELEASE);
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c = 0;
    while (pread(file, &c, 1, 100) != 1 || c != 'x')
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
    shown = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
