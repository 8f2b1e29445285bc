// SPDX-License-Identifier: Apache-2.0
// The name of a thread says that all is ready;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int data, seen;
static pthread_t who;

static void *send_it(void *arg)
{
    (void)arg;
    if (pthread_setname_np(who, "ready") != 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char name[16] = "";
    while (pthread_getname_np(who, name, sizeof name) != 0 || strcmp(name, "ready") != 0)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    who = pthread_self();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
