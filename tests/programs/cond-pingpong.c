/* Two threads hand a ball back and forth with one condition variable each. */
//~ exit: 0
//~ stdout: ping 500 pong 500 last pong
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 500 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn, played[2];
static const char *last;

static void *player(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        while (turn != me)
            pthread_cond_wait(&turned[me], &m);
        played[me]++;
        last = me == 0 ? "ping" : "pong";
        turn = 1 - me;
        pthread_cond_signal(&turned[turn]);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, player, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("ping %d pong %d last %s\n", played[0], played[1], last);
    return 0;
}
