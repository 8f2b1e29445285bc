// SPDX-License-Identifier: Apache-2.0
//~ check: misuse
// A thread unlocks a mutex that its creator has locked.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *prepare(void *arg)
{
    value = 5;
    pthread_mutex_unlock(&ready); //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&ready);
    pthread_create(&t, NULL, prepare, NULL);
    pthread_mutex_lock(&ready);
    int seen = value;
    pthread_mutex_unlock(&ready);
    pthread_join(t, NULL);
    return seen != 5;
}
