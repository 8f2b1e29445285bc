/* Two threads store and then load: with seq_cst not both can miss the other's store. */
//~ exit: 0
//~ stdout: rounds 200, both missed 0
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 200 };

static atomic_int mine[2][ROUNDS];
static int missed[2][ROUNDS];

static void *store_then_load(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&mine[me][i], 1);
        missed[me][i] = atomic_load(&mine[1 - me][i]) == 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = {0, 1}, both = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, store_then_load, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ROUNDS; i++)
        both += missed[0][i] && missed[1][i];
    printf("rounds %d, both missed %d\n", ROUNDS, both);
    return 0;
}
