// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: tally.c
// Two rooms are measured by three threads. A tally has no lock of its own: what two threads add
// to one at the same time may be lost.
#include "tally.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, VALUES = 2 };

static struct tally *rooms[2];

static void *measure(void *argument)
{
    const int *step = argument;
    for (int i = 0; i < VALUES; i++)
        tally_add(rooms[i % 2], *step);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    static const int steps[THREADS] = {1, 2, 3};
    rooms[0] = tally_new("hall");
    rooms[1] = tally_new("cellar");
    if (!rooms[0] || !rooms[1])
        return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, measure, (void *)(unsigned long)&steps[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int is_right = 1;
    for (int i = 0; i < 2; i++) {
        printf("%s: %ld\n", rooms[i]->name, tally_mean(rooms[i]));
        is_right &= rooms[i]->sum == 6 && rooms[i]->count == THREADS;
        tally_free(rooms[i]);
    }
    return is_right ? 0 : 1;
}
