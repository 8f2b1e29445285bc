// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/none
// How often a thread had to look is printed and differs in every schedule; the race beside it
// harms nobody.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static int looks;
static int hint;

static void *looker(void *arg)
{
    do {
        looks++;
        hint = 1; //~ here
        sched_yield();
    } while (!atomic_load(&ready));
    return arg;
}

static void *setter(void *arg)
{
    hint = 1; //~ here
    sched_yield();
    atomic_store(&ready, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, looker, NULL);
    pthread_create(&b, NULL, setter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("looked %d times\n", looks);
    return looks == 0;
}
