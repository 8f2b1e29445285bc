// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
// Two threads take turns in a critical section, by a flag that says whose turn it is; it is
// meant as a lock and is none: between one thread's "my turn" and its look the other one says
// the same.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static volatile int turn;

static void *first_main(void *unused)
{
    (void)unused;
    turn = 0;
    assert(turn == 0);
    turn = 1;
    return NULL;
}

static void *second_main(void *unused)
{
    (void)unused;
    turn = 1;
    while (turn != 1)
        sched_yield();
    turn = 0;
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
