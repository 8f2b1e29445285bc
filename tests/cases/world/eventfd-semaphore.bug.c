// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// An eventfd in semaphore mode as a lock, with two tokens instead of one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int gate, visits;

static void *visit(void *arg)
{
    eventfd_t token;
    must(eventfd_read(gate, &token) == 0);
    visits++; //~ here
    must(eventfd_write(gate, token) == 0);
    return arg;
}

int main(void)
{
    gate = eventfd(2, EFD_SEMAPHORE);
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d visits\n", visits);
    return visits != 2;
}
