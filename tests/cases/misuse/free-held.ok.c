// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Locks that are free when their memory ends, and a stream that is closed with its lock held.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t m;
    int steps;
};

static int step(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int e = pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return e;
}

static void *thread(void *arg)
{
    struct job *j = arg;
    pthread_mutex_lock(&j->m);
    j->steps++;
    pthread_mutex_unlock(&j->m);
    free(j);
    FILE *f = fopen("/dev/null", "w");
    if (f) {
        flockfile(f);
        putc_unlocked('x', f);
        fclose(f);
    }
    return step() ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    struct job *j = calloc(1, sizeof *j);
    pthread_mutex_init(&j->m, NULL);
    pthread_create(&t, NULL, thread, j);
    pthread_join(t, NULL);
    return 0;
}
