// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised A B
// A field of a new block is tested before it is filled in: the test goes any way.
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
    job->size = 7; //~ B
    pthread_mutex_unlock(&m);
    return unused;
}

static void *show(void *unused)
{
    pthread_mutex_lock(&m);
    if (job->size > 5) //~ A
        printf("large\n");
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    job = malloc(sizeof *job);
    pthread_create(&a, NULL, fill, NULL);
    pthread_create(&b, NULL, show, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(job);
    return 0;
}
