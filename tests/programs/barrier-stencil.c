/* Threads read their neighbours' cells in phases that two barriers separate. */
//~ exit: 0
//~ stdout: 64 64 64 64 64 64 64 64
//~ stdout: refused a barrier for nobody: EINVAL
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8, PHASES = 3 };

static pthread_barrier_t barrier;
static int cell[CELLS];

static void *smooth(void *arg)
{
    int *mine = arg, me = (int)(mine - cell);
    for (int p = 0; p < PHASES; p++) {
        int sum = *mine + cell[(me + (1 << p)) % CELLS]; /* butterfly: all see all */
        pthread_barrier_wait(&barrier);
        *mine = sum;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[CELLS];
    pthread_barrier_init(&barrier, NULL, CELLS);
    for (int i = 0; i < CELLS; i++)
        cell[i] = 2 * i + 1;
    for (int i = 0; i < CELLS; i++)
        pthread_create(&t[i], NULL, smooth, &cell[i]);
    for (int i = 0; i < CELLS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < CELLS; i++)
        printf("%d%c", cell[i], i + 1 < CELLS ? ' ' : '\n');
    pthread_barrier_destroy(&barrier);
    int rc = pthread_barrier_init(&barrier, NULL, 0);
    printf("refused a barrier for nobody: %s\n", strerrorname_np(rc));
    return 0;
}
