// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A pipe of one page: after the first message went in, nothing is known of the reader.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2], started;
static char page[4096];

static void *reader(void *arg)
{
    static char got[4096];
    started = 1; //~ here
    for (size_t n = 0; n < 2 * sizeof got;)
        n += (size_t)read(ends[0], got, sizeof got);
    return arg;
}

int main(void)
{
    must(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    must(write(ends[1], page, sizeof page) == sizeof page);
    int seen = started; //~ here
    must(write(ends[1], page, sizeof page) == sizeof page);
    pthread_join(t, NULL);
    printf("both went through\n");
    return seen > 1;
}
