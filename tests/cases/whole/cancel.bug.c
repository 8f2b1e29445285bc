// SPDX-License-Identifier: Apache-2.0
//~ expect: double-free
//
// A request that was cancelled is dropped by who cancels it and, in its error path, by who
// works on it. In the recorded run the worker was done before.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
    int cancelled;
    char *body;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    struct request *r = arg;
    pthread_mutex_lock(&lock);
    int cancelled = r->cancelled;
    pthread_mutex_unlock(&lock);
    if (cancelled)
        free(r->body);
    return NULL;
}

static void *canceller(void *arg)
{
    struct request *r = arg;
    pthread_mutex_lock(&lock);
    r->cancelled = 1;
    pthread_mutex_unlock(&lock);
    free(r->body);
    return NULL;
}

int main(void)
{
    struct request r = {0, malloc(32)};
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &r);
    pthread_create(&b, NULL, canceller, &r);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("over");
    return 0;
}
