// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: seats.c
/* Who wants seats asks and takes in one section. */
#include "seats.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int book(int n, const char *name)
{
    int rc = -1;
    char *ticket = malloc(32);
    if (!ticket)
        return -1;
    if (!name)
        goto out;
    if (!seats_try_take(n))
        goto out;
    snprintf(ticket, 32, "%s %d", name, n);
    rc = 0;
out:
    free(ticket);
    return rc;
}

static void *agent(void *arg)
{
    book(3, arg);
    return NULL;
}

static void *door(void *arg)
{
    (void)arg;
    seats_try_take(2);
    return NULL;
}

static void *closer(void *arg)
{
    (void)arg;
    seats_close();
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, agent, "ann");
    pthread_create(&b, NULL, door, NULL);
    pthread_create(&c, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    printf("%d\n", seats_free());
    return seats_free() < 0;
}
