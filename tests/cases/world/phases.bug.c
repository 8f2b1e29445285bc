// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Cells are computed from their neighbours in phases; the buffers are swapped by each thread.
#include <pthread.h>

enum { CELLS = 6, THREADS = 3, PHASES = 3 };
static int buffers[2][CELLS + 2] = {{0, 1, 2, 3, 4, 5, 6, 0}};
static int *old_cells = buffers[0], *new_cells = buffers[1];
static pthread_barrier_t computed, swapped;

static void swap(void)
{
    int *t = old_cells;    //~ here
    old_cells = new_cells; //~ here
    new_cells = t;         //~ here
}

static void *compute(void *arg)
{
    int me = *(int *)arg;
    for (int p = 0; p < PHASES; p++) {
        for (int i = 1 + me * 2; i < 3 + me * 2; i++)
            new_cells[i] = old_cells[i - 1] + old_cells[i + 1]; //~ here
        pthread_barrier_wait(&computed);
        swap();
        pthread_barrier_wait(&swapped);
    }
    return NULL;
}

int main(void)
{
    int who[THREADS];
    pthread_t t[THREADS];
    pthread_barrier_init(&computed, NULL, THREADS);
    pthread_barrier_init(&swapped, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        who[i] = i;
        pthread_create(&t[i], NULL, compute, &who[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&computed);
    pthread_barrier_destroy(&swapped);
    return 0;
}
