/* Three threads take turns with nothing but sched_yield between looks at an atomic number. */
//~ exit: 0
//~ stdout: 0 1 2 0 1 2 0 1 2
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PLAYERS = 3, ROUNDS = 3 };

static atomic_int turn;
static int order[PLAYERS * ROUNDS];

static void *play(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int mine = i * PLAYERS + me;
        while (atomic_load(&turn) != mine)
            sched_yield();
        order[mine] = me;
        atomic_store(&turn, mine + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[PLAYERS];
    int id[PLAYERS];
    for (int i = PLAYERS - 1; i >= 0; i--) {
        id[i] = i;
        pthread_create(&t[i], NULL, play, &id[i]);
    }
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PLAYERS * ROUNDS; i++)
        printf("%d%c", order[i], i + 1 < PLAYERS * ROUNDS ? ' ' : '\n');
    return 0;
}
