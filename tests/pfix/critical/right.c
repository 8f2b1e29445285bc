// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As critical.c, mended by hand: a lock keeps the section that the flag was meant to keep.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int turn;

static void *first_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&turn_lock);
    turn = 0;
    assert(turn == 0);
    turn = 1;
    pthread_mutex_unlock(&turn_lock);
    return NULL;
}

static void *second_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&turn_lock);
    turn = 1;
    while (turn != 1)
        sched_yield();
    turn = 0;
    pthread_mutex_unlock(&turn_lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, first_main, NULL);
    pthread_create(&second, NULL, second_main, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("both were in\n");
    return 0;
}
