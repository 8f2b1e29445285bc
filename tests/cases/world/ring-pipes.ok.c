// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Three threads hand one number around by pipes, without any lock.
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 4 };
static int pipes[THREADS][2];
static struct {
    int value, steps;
} token;

static void *pass(void *arg)
{
    int me = *(int *)arg;
    char c;
    for (int i = 0; i < ROUNDS; i++) {
        if (read(pipes[me][0], &c, 1) != 1)
            return NULL;
        token.value += me; //~ here
        token.steps++;     //~ here
        if (write(pipes[(me + 1) % THREADS][1], &c, 1) != 1)
            return NULL;
    }
    return arg;
}

int main(void)
{
    int who[THREADS];
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pipe(pipes[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        who[i] = i;
        pthread_create(&t[i], NULL, pass, &who[i]);
    }
    if (write(pipes[0][1], "t", 1) != 1)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return token.steps != THREADS * ROUNDS;
}
