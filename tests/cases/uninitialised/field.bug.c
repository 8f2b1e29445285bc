// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised A B
// A field may be used before it is filled in.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id;
    char *name;
};
static struct job *job;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    job->name = "weave"; //~ B
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *show(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    char first = *job->name; //~ A
    pthread_mutex_unlock(&m);
    printf("%c\n", first);
    return NULL;
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
