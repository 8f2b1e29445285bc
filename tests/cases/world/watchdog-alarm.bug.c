// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/none
// A test with a watchdog of 5 s and a race that harms nobody; the alarm is not its harm.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int hint;
static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *player(void *arg)
{
    for (int i = 0; i < 3; i++) {
        hint = 1; //~ here
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    return arg;
}

int main(void)
{
    alarm(5);
    pthread_t a, b;
    pthread_create(&a, NULL, player, NULL);
    pthread_create(&b, NULL, player, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    alarm(0);
    printf("%d rounds\n", rounds);
    return rounds != 6;
}
