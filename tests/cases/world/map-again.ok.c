// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Scratch pages come from the system and go back to it: the next thread has them at the same
// place.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BYTES = 4096 };

static void must(int holds)
{
    if (!holds)
        abort();
}

static int *get(size_t bytes)
{
    int *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(p != MAP_FAILED);
    return p;
}

static void *sum(void *arg)
{
    int n = *(int *)arg;
    for (int round = 0; round < 3; round++) {
        int *p = get(BYTES);
        p[0] = n;         //~ here
        p[1] = n + round; //~ here
        p = mremap(p, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
        must(p != MAP_FAILED);
        *(int *)arg += p[1] - p[0]; //~ here
        munmap(p, 2 * BYTES);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, sum, &one);
    pthread_create(&b, NULL, sum, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", one, two);
    return one + two != 9;
}
