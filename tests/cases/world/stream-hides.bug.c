// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Each thread writes into a stream of its own before it uses the variable: streams order
// nothing here.
#include <pthread.h>
#include <stdio.h>

static int mode;

static void *writer(void *arg)
{
    FILE *f = fopen("writer.log", "w");
    mode = 1; //~ here
    fputs("mode set\n", f);
    fclose(f);
    return arg;
}

static void *reader(void *arg)
{
    FILE *f = fopen("reader.log", "w");
    fputs("reading\n", f);
    fflush(f);
    int seen = mode; //~ here
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
