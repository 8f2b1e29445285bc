// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A lock is freed that is locked.
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t m;
    int steps;
};

static void *thread(void *arg)
{
    struct job *j = arg;
    pthread_mutex_lock(&j->m);
    j->steps++;
    free(j); //~ A
    return NULL;
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
