// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A field of a new block is tested before it is filled in: it is zero then.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int is_ready, size;
};
static struct job *job;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *unused)
{
    pthread_mutex_lock(&m);
    job->size = 7;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *show(void *unused)
{
    pthread_mutex_lock(&m);
    if (job->size > 5)
        printf("large\n");
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    job = calloc(1, sizeof *job);
    pthread_create(&a, NULL, fill, NULL);
    pthread_create(&b, NULL, show, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(job);
    return 0;
}
