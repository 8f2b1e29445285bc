// SPDX-License-Identifier: Apache-2.0
/* Levels of several inputs; the highest that any of them had is kept. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define INPUTS 3

struct meter {
    atomic_int peak;
    atomic_int samples;
};

static struct meter meter;
static const int level[INPUTS][2] = {{3, 7}, {5, 9}, {2, 8}};

static void meter_feed(struct meter *m, int value)
{
    atomic_fetch_add(&m->samples, 1);
    if (value > atomic_load(&m->peak))
        atomic_store(&m->peak, value);
}

static void *input_main(void *arg)
{
    const int *levels = arg;

    for (int i = 0; i < 2; i++)
        meter_feed(&meter, levels[i]);
    return NULL;
}

int main(void)
{
    pthread_t input[INPUTS];

    for (int i = 0; i < INPUTS; i++)
        pthread_create(&input[i], NULL, input_main, (void *)level[i]);
    for (int i = 0; i < INPUTS; i++)
        pthread_join(input[i], NULL);
    printf("peak %d of %d samples\n", atomic_load(&meter.peak), atomic_load(&meter.samples));
    return atomic_load(&meter.peak) != 9;
}
