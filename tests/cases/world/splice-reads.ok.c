// SPDX-License-Identifier: Apache-2.0
// Bytes are taken out of a pipe by splice.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int one[2], two[2];

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(one[1], "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    if (splice(one[0], NULL, two[1], NULL, 1, 0) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(one) < 0 || pipe(two) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
