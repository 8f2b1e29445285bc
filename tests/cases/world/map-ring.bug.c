// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A ring in memory mapped from a file: the index is raised before the slot is filled.

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 4, ITEMS = 6 };

struct ring {
    atomic_uint head, tail;
    int slots[SLOTS];
};

static struct ring *one, *two; /* two views of the same file */

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *produce(void *arg)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load(&one->head) == SLOTS)
            sched_yield();
        atomic_store(&one->tail, i + 1);
        one->slots[i % SLOTS] = (int)i; //~ here
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int fd = open("ring", O_RDWR | O_CREAT, 0600), sum = 0;
    must(fd >= 0 && ftruncate(fd, 4096) == 0);
    one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = one;
    must(one != MAP_FAILED && two != MAP_FAILED);
    pthread_create(&t, NULL, produce, NULL);
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load(&two->tail) == i)
            sched_yield();
        sum += two->slots[i % SLOTS]; //~ here
        atomic_store(&two->head, i + 1);
    }
    pthread_join(t, NULL);
    return sum > 15;
}
