/* SPDX-License-Identifier: Apache-2.0
 *
 * array: four threads smooth the rows of a grid, each its own part, with a barrier between the
 * rounds; they share only the rows at the edges. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, SIDE = 512, ROUNDS = 12 };
static double *now, *next;
static pthread_barrier_t barrier;

static void smooth(int row)
{
    for (int i = 1; i < SIDE - 1; i++) {
        const double *at = &now[row * SIDE + i];
        next[row * SIDE + i] = (at[0] * 4 + at[-1] + at[1] + at[-SIDE] + at[SIDE]) / 8;
    }
}

static void *work(void *arg)
{
    int part = (int)(long)arg, rows = (SIDE - 2) / THREADS;
    for (int round = 0; round < ROUNDS; round++) {
        for (int row = 0; row < rows; row++)
            smooth(1 + part * rows + row);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            double *old = now;
            now = next;
            next = old;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    now = calloc(SIDE * SIDE, sizeof *now);
    next = calloc(SIDE * SIDE, sizeof *next);
    for (int i = 0; i < SIDE * SIDE; i++)
        now[i] = i % 17;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%.3f\n", now[SIDE * 100 + 100]);
    return 0;
}
