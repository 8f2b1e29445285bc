// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Threads bind themselves to a processor and enter their id into a table, at a place that has
// no lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static pid_t table[4];
static int used;

static void *worker(void *arg)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    must(sched_setaffinity(gettid(), sizeof set, &set) == 0);
    table[used++] = gettid(); //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(used == 2 && table[0] != table[1] ? "two" : "not two");
    return used != 2;
}
