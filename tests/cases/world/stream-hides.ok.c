// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each thread writes into a stream of its own; the variable has a lock.
#include <pthread.h>
#include <stdio.h>

static int mode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    FILE *f = fopen("writer.log", "w");
    pthread_mutex_lock(&lock);
    mode = 1; //~ here
    pthread_mutex_unlock(&lock);
    fputs("mode set\n", f);
    fclose(f);
    return arg;
}

static void *reader(void *arg)
{
    FILE *f = fopen("reader.log", "w");
    fputs("reading\n", f);
    fflush(f);
    pthread_mutex_lock(&lock);
    int seen = mode; //~ here
    pthread_mutex_unlock(&lock);
    fclose(f);
    *(int *)arg = seen;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen = 0;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("logged");
    return seen > 1;
}
