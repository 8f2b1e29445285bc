// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Mended: who looks waits for the second step.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct catalogue {
    int pages, price;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct catalogue *now;
static int step;

static void advance(void)
{
    pthread_mutex_lock(&m);
    step++;
    pthread_mutex_unlock(&m);
}

static void *print(void *arg)
{
    advance();
    pthread_mutex_lock(&m);
    now->pages = 16;
    pthread_mutex_unlock(&m);
    advance();
    return arg;
}

int main(void)
{
    pthread_t t;
    now = malloc(sizeof *now);
    pthread_create(&t, NULL, print, NULL);
    sched_yield();
    pthread_mutex_lock(&m);
    int seen = step;
    pthread_mutex_unlock(&m);
    if (seen >= 2) {
        pthread_mutex_lock(&m);
        int pages = now->pages;
        pthread_mutex_unlock(&m);
        printf("%d sheets\n", pages / 4);
    }
    pthread_join(t, NULL);
    return 0;
}
