/* Threads spin on a volatile number without any call until it is their turn. */
//~ exit: 0
//~ stdout: relay 1 2 3 4
//~ tsan: skip the flags are volatile on purpose, which is a race by the letter
#include <pthread.h>
#include <stdio.h>

enum { RUNNERS = 4 };

static volatile int turn;
static int relay[RUNNERS];

static void *run(void *arg)
{
    int me = (int)((int *)arg - relay);
    while (turn != me)
        ;
    relay[me] = me + 1;
    turn = me + 1;
    return NULL;
}

int main(void)
{
    pthread_t t[RUNNERS];
    for (int i = RUNNERS - 1; i >= 0; i--) /* the last to run starts first */
        pthread_create(&t[i], NULL, run, &relay[i]);
    while (turn != RUNNERS)
        ;
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(t[i], NULL);
    printf("relay %d %d %d %d\n", relay[0], relay[1], relay[2], relay[3]);
    return 0;
}
