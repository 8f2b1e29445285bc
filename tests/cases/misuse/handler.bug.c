// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A handler allocates, and may have interrupted who allocates.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t caught;
static void *volatile kept;

static void handle(int sig)
{
    void *p = malloc((size_t)sig); //~ A
    kept = p;
    free(p);
    caught = 1;
}

static void *work(void *arg)
{
    for (int i = 0; i < 4; i++) {
        kept = malloc(8);
        free(kept);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handle);
    pthread_create(&t, NULL, work, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
